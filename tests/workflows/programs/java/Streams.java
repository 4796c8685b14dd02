import java.nio.file.*;
import java.util.*;
import java.util.function.Function;
import java.util.stream.*;

class Streams {
    static Map<String, Long> count(Stream<String> lines) {
        return lines
            .flatMap(line -> Arrays.stream(line.split("[^A-Za-z]+")))
            .map(String::toLowerCase)
            .filter(word -> word.length() > 0)
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    }

    static String show(Map.Entry<String, Long> entry) {
        return entry.getValue() + "\t" + entry.getKey();
    }

    static void check(String... names) {
        if (names.length != 1 || !Files.exists(Paths.get(names[0]))) {
            System.err.println("usage: Streams FILE");
            System.exit(2);
        }
    }

    public static void main(String... names) throws Exception {
        check(names);
        try (Stream<String> lines = Files.lines(Paths.get(names[0]))) {
            count(lines).entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(10)
                .map(Streams::show)
                .forEach(System.out::println);
        }
    }
}
