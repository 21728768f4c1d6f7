package io.verbena.bench.soak;

import static java.util.Locale.ROOT;

import io.verbena.bench.usage.Held;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/** What two looks at a process say of its growth. */
final class Growth {
  private static final long MEBIBYTE = 1 << 20;

  /**
   * Of the heap and of memory that pools keep: what one object more under way at some time takes.
   */
  private static final long MEMORY_SLACK = 16 * MEBIBYTE;

  /** What the JVM opens by itself. */
  private static final long FEW_FILES = 8;

  /** A client and a server have 16 threads each for files, which end when they have idled. */
  private static final long FILE_THREADS = 40;

  private final String process;
  private final Held before;
  private final Held after;
  private final List<List<String>> rows = new ArrayList<>();
  private boolean flat = true;

  /**
   * Compares.
   *
   * @param process whose it is
   */
  Growth(String process, Held before, Held after) {
    this.process = process;
    this.before = before;
    this.after = after;
    memory("heap after GC", Held::heapBytes);
    memory("direct memory", Held::directBytes);
    memory("registered memory", Held::pinnedBytes);
    count("descriptors", Held::files, FEW_FILES);
    count("threads", Held::threads, FILE_THREADS);
    count("sessions", Held::sessions, 0);
    count("slots in use", Held::slots, 0);
    memory("bulk memory in use", Held::bulkBytes, 0);
    count("calls without an answer", Held::calls, 0);
  }

  static List<String> heading() {
    return List.of("process", "what", "warm", "at the end", "may grow by", "");
  }

  List<List<String>> rows() {
    return rows;
  }

  boolean isFlat() {
    return flat;
  }

  private void memory(String what, ToLongFunction<Held> figure) {
    memory(what, figure, MEMORY_SLACK);
  }

  private void memory(String what, ToLongFunction<Held> figure, long slack) {
    add(what, figure, slack, "%,.1f MiB", MEBIBYTE);
  }

  private void count(String what, ToLongFunction<Held> figure, long slack) {
    add(what, figure, slack, "%,.0f", 1);
  }

  private void add(
      String what, ToLongFunction<Held> figure, long slack, String format, double unit) {
    long was = figure.applyAsLong(before);
    long is = figure.applyAsLong(after);
    boolean fits = is - was <= slack;
    flat &= fits;
    rows.add(
        List.of(
            process,
            what,
            String.format(ROOT, format, was / unit),
            String.format(ROOT, format, is / unit),
            String.format(ROOT, format, slack / unit),
            fits ? "ok" : "grew"));
  }
}
