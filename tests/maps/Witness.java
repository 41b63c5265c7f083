// Reads literals of Java as Java does: lines of JSON, as a literal stands and as it was read. Its own translation of escapes
// (java.lang.String, since 15) and of text blocks.
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

class Witness {
    public static void main(String[] arguments) throws Exception {
        int agreed = 0;
        int other = 0;
        List<String> wrong = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            int[] at = {1};
            String stands = json(line, at);
            at[0] = line.indexOf('"', at[0]);
            String text = json(line, at);
            // `\\u` is translated before anything else is: by the compiler, and not by the library.
            if (!stands.matches("(?s)\"[^\"].*\"|\"\"") || stands.contains("\\u")) {
                other++;
                continue;
            }
            String value;
            try {
                value = stands.substring(1, stands.length() - 1).translateEscapes();
            } catch (IllegalArgumentException no) {
                other++;
                continue;
            }
            if (value.equals(text)) {
                agreed++;
            } else {
                wrong.add("  " + stands + " | " + text + " | " + value);
            }
        }
        System.out.printf("Java %s: %d agreed, %d did not, %d are not for it%n", Runtime.version().feature(), agreed, wrong.size(), other);
        wrong.stream().limit(10).forEach(System.out::println);
        System.exit(wrong.isEmpty() && agreed > 0 ? 0 : 1);
    }

    // A string of JSON; `at` goes behind it.
    private static String json(String line, int[] at) {
        StringBuilder text = new StringBuilder();
        at[0]++;
        for (; line.charAt(at[0]) != '"'; at[0]++) {
            char c = line.charAt(at[0]);
            if (c == '\\') {
                c = line.charAt(++at[0]);
                switch (c) {
                    case 'n' -> c = '\n';
                    case 't' -> c = '\t';
                    case 'r' -> c = '\r';
                    case 'b' -> c = '\b';
                    case 'f' -> c = '\f';
                    case 'u' -> {
                        c = (char) Integer.parseInt(line.substring(at[0] + 1, at[0] + 5), 16);
                        at[0] += 4;
                    }
                    default -> { }
                }
            }
            text.append(c);
        }
        at[0]++;
        return text.toString();
    }
}
