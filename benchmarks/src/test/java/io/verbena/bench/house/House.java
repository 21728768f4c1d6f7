package io.verbena.bench.house;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.summingInt;

import io.verbena.bench.house.Entries.Entered;
import io.verbena.bench.verbena.Route;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What is counted of the project's sources and of a small call, each beside its goal. */
public final class House {
  private static final int ARROWS = 3;
  private static final Set<String> KNOTS =
      Set.of("io.verbena.core.session", "io.verbena.rdma.link", "io.verbena.core.transfer");
  private static final Map<String, Integer> LINES = Map.of("rpc-core", 20_000, "all", 80_000);

  private static final int WORDS = 40_000;
  private static final Pattern CODE = Pattern.compile("(?sm)^```.*?^```|^ {4}.*?$");
  private static final Pattern ADDRESS = Pattern.compile("\\]\\([^)]*\\)");
  private static final Pattern WORD = Pattern.compile("\\S*[A-Za-z0-9]\\S*");
  private static final Pattern BUILT = Pattern.compile("(^|/)(target|\\.git)/");
  private static final String LOGS = "docs/internals/";

  private final StringBuilder table = new StringBuilder();
  private final boolean details;

  private House(boolean details) {
    this.details = details;
  }

  /**
   * Counts.
   *
   * @param root the project's folder; all its modules are built
   * @param details whether to name the frames, the methods and the arrows
   */
  public static String count(Path root, boolean details)
      throws IOException, ReflectiveOperationException {
    House house = new House(details);
    house.row("", "now", "goal");
    house.lines(root);
    house.words(root);
    for (Route route : List.of(Route.TCP, Route.RDMA)) {
      house.call(route);
    }
    house.arrows(root);
    return house.table.toString();
  }

  private void lines(Path root) throws IOException {
    Map<String, Integer> modules = new TreeMap<>();
    for (Path sources : below(root, "src/main/java")) {
      int lines = 0;
      try (Stream<Path> files = Files.walk(sources)) {
        for (Path file : (Iterable<Path>) files::iterator) {
          lines += file.toString().endsWith(".java") ? Files.readAllLines(file).size() : 0;
        }
      }
      modules.merge(root.relativize(sources).getName(0).toString(), lines, Integer::sum);
    }
    modules.forEach((module, lines) -> row("main lines, " + module, lines, LINES.get(module)));
    int all = modules.values().stream().mapToInt(lines -> lines).sum();
    row("main lines, all", all, LINES.get("all"));
  }

  /** Counts what has a letter or a digit, except code, addresses of links, and logs. */
  private void words(Path root) throws IOException {
    int words = 0;
    try (Stream<Path> pages = Files.walk(root)) {
      for (Path page : (Iterable<Path>) pages::iterator) {
        String name = root.relativize(page).toString();
        if (name.endsWith(".md") && !BUILT.matcher(name).find() && !name.startsWith(LOGS)) {
          String prose = CODE.matcher(Files.readString(page)).replaceAll("");
          words += (int) WORD.matcher(ADDRESS.matcher(prose).replaceAll("]")).results().count();
        }
      }
    }
    row("words of the documentation", words, WORDS);
  }

  private void call(Route route) throws ReflectiveOperationException {
    String on = ", " + route.name();
    try (SmallCall call = new SmallCall(route)) {
      List<String> frames = call.call();
      row("frames from link to handler" + on, frames.size(), 10);
      details(frames);
    }
    List<Entered> entered = CallTally.of(route);
    Map<String, Integer> types =
        entered.stream()
            .collect(
                groupingBy(
                    one -> one.method().topLevel(), TreeMap::new, summingInt(Entered::times)));
    row("types met by a small call" + on, types.size(), 45);
    details(types.entrySet().stream().map(type -> type.getValue() + " " + type.getKey()).toList());
    int entries = entered.stream().mapToInt(Entered::times).sum();
    int forwards =
        entered.stream().filter(one -> one.method().forwards()).mapToInt(Entered::times).sum();
    row("methods entered by it" + on, entries, null);
    row("% of these that only forward" + on, 100 * forwards / entries, 20);
    details(
        entered.stream()
            .sorted(Comparator.comparing(Entered::times).reversed())
            .map(one -> one.times() + (one.method().forwards() ? " forwards " : " ") + one.method())
            .toList());
  }

  private void arrows(Path root) throws IOException {
    List<Arrows> packages =
        Arrows.in(below(root, "target/classes")).stream()
            .filter(one -> one.back().size() > ARROWS || KNOTS.contains(one.of()))
            .sorted(Comparator.comparing((Arrows one) -> one.back().size()).reversed())
            .toList();
    for (Arrows one : packages) {
      row("arrows that run back, of " + one.count() + " in " + one.of(), one.back().size(), ARROWS);
      details(one.back());
    }
  }

  /** Returns a folder of each module that has it, and of those within it. */
  private static List<Path> below(Path root, String folder) throws IOException {
    try (Stream<Path> modules = Files.walk(root, 2)) {
      return modules
          .map(module -> module.resolve(folder))
          .filter(Files::isDirectory)
          .sorted()
          .toList();
    }
  }

  private void row(String what, Object now, @Nullable Object goal) {
    table.append("%-80s %8s %8s%n".formatted(what, now, goal == null ? "" : goal));
  }

  private void details(List<String> lines) {
    if (details) {
      lines.forEach(line -> table.append("    ").append(line).append('\n'));
    }
  }
}
