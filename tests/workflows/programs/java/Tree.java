import java.io.IOException;

public class Tree {
    private static class Node {
        final String key;
        int hits = 1;
        Node less, more;

        Node(String key) {
            this.key = key;
        }
    }

    private Node root;

    public void insert(String key) {
        if (root == null) {
            root = new Node(key);
            return;
        }
        Node at = root;
        while (true) {
            int order = key.compareTo(at.key);
            if (order == 0) {
                at.hits++;
                return;
            } else if (order < 0) {
                if (at.less == null) { at.less = new Node(key); return; }
                at = at.less;
            } else {
                if (at.more == null) { at.more = new Node(key); return; }
                at = at.more;
            }
        }
    }

    private int print(Node node, int depth) {
        if (node == null) return depth;
        int below = print(node.less, depth + 1);
        System.out.println(node.hits + ": " + node.key);
        return Math.max(below, print(node.more, depth + 1));
    }

    public static void main(String[] args) throws IOException {
        Tree tree = new Tree();
        StringBuilder word = new StringBuilder();
        for (int c = System.in.read(); c >= 0; c = System.in.read()) {
            if (Character.isLetter(c)) {
                word.append((char) Character.toLowerCase(c));
            } else if (word.length() > 0) {
                tree.insert(word.toString());
                word.setLength(0);
            }
        }
        System.out.println("depth " + tree.print(tree.root, 0));
    }
}
