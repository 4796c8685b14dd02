import java.io.*;
import java.util.*;

public class Words {
    private final Map<String, Integer> counts = new TreeMap<>();

    void read(BufferedReader in) throws IOException {
        String line;
        while ((line = in.readLine()) != null) {
            for (String word : line.toLowerCase().split("\\W+")) {
                if (!word.isEmpty()) {
                    counts.merge(word, 1, Integer::sum);
                }
            }
        }
    }

    List<Map.Entry<String, Integer>> best(int limit) {
        List<Map.Entry<String, Integer>> all = new ArrayList<>(counts.entrySet());
        all.sort((a, b) -> b.getValue() - a.getValue());
        return all.subList(0, Math.min(limit, all.size()));
    }

    int total() {
        int sum = 0;
        for (int count : counts.values()) {
            sum += count;
        }
        return sum;
    }

    public static void main(String[] args) throws IOException {
        Words words = new Words();
        try (BufferedReader in = new BufferedReader(new FileReader(args[0]))) {
            words.read(in);
        }
        System.out.println("words in all: " + words.total());
        for (Map.Entry<String, Integer> entry : words.best(10)) {
            System.out.printf("%-20s %5d%n", entry.getKey(), entry.getValue());
        }
    }
}
