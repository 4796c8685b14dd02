import java.util.Scanner;

public class Counter {
    static String[] seen = new String[1000];
    static int[] times = new int[1000];
    static int used = 0;

    static int indexOf(String word) {
        for (int i = 0; i < used; i++) {
            if (seen[i].equals(word)) {
                return i;
            }
        }
        return -1;
    }

    static void add(String word) {
        int place = indexOf(word);
        if (place >= 0) {
            times[place]++;
        } else if (used < seen.length) {
            seen[used] = word;
            times[used] = 1;
            used++;
        }
    }

    static void sort() {
        for (int i = 0; i < used - 1; i++) {
            int largest = i;
            for (int j = i + 1; j < used; j++) {
                if (times[j] > times[largest]) {
                    largest = j;
                }
            }
            String word = seen[i];
            seen[i] = seen[largest];
            seen[largest] = word;
            int count = times[i];
            times[i] = times[largest];
            times[largest] = count;
        }
    }

    public static void main(String[] args) {
        Scanner in = new Scanner(System.in);
        while (in.hasNext()) {
            add(in.next().toLowerCase());
        }
        sort();
        for (int i = 0; i < used && i < 10; i++) {
            System.out.println(seen[i] + " " + times[i]);
        }
    }
}
