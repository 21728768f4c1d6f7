package io.verbena.bench.goal;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The targets told so far, each printed as soon as it is known. For one thread. */
public final class Scoreboard {
  private final PrintWriter out;
  private final Duration most;
  private final long start = System.nanoTime();
  private final List<Row> rows = new ArrayList<>();

  /** Measures what some targets ask for, and tells their rows. */
  @FunctionalInterface
  public interface Section {
    /**
     * Measures.
     *
     * @throws RuntimeException if somebody did not take part, or a call failed
     */
    void measure() throws IOException, InterruptedException;
  }

  /**
   * An empty one.
   *
   * @param most after that time no other section is begun
   */
  public Scoreboard(PrintWriter out, Duration most) {
    this.out = out;
    this.most = most;
    show(Row.heading());
  }

  /**
   * Measures a part of the targets. What fails before a row of it was told is measured once more,
   * since a host that others keep busy may have been the reason. What fails again, or comes too
   * late, is told as one target that was not measured; rows told before stay as they are.
   */
  public void section(String name, Section section) throws InterruptedException {
    if (passed().compareTo(most) > 0) {
      tell(Row.unmeasured(name, "no time is left: " + most.toMinutes() + " minutes are over"));
      return;
    }
    int told = rows.size();
    String problem = attempt(section);
    if (!problem.isEmpty() && rows.size() == told && passed().compareTo(most) <= 0) {
      show("(measured once more: " + name + ": " + problem + ")");
      problem = attempt(section);
    }
    if (!problem.isEmpty()) {
      tell(Row.unmeasured(name, problem));
    }
  }

  /** Returns why it failed; empty: it did not. */
  private static String attempt(Section section) throws InterruptedException {
    try {
      section.measure();
      return "";
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      return e.getMessage() == null ? e.toString() : e.getMessage();
    }
  }

  void tell(Row row) {
    rows.add(row);
    show(row.toString());
  }

  private void show(String line) {
    out.println(line);
    out.flush();
  }

  private Duration passed() {
    return Duration.ofNanos(System.nanoTime() - start);
  }

  /** Returns all rows told so far. */
  public List<Row> rows() {
    return List.copyOf(rows);
  }

  /** Prints how many targets are reached; returns whether all are. */
  public boolean close() {
    long reached = rows.stream().filter(Row::isReached).count();
    show(
        "%n%d of %d targets are reached; %d s"
            .formatted(reached, rows.size(), passed().toSeconds()));
    return reached == rows.size();
  }
}
