package io.verbena.bench.run;

import io.verbena.bench.load.Load;
import io.verbena.bench.report.Round;
import java.io.IOException;

/** A program of others that takes turns by itself, and tells what came of each. */
public interface Program {
  /** Returns what its figures are listed under. */
  String name();

  /** Returns what carries a load, and by which program. */
  String path(Load load);

  /** Returns whether it measures such a load. */
  boolean takes(Load load);

  /**
   * Takes one turn. A figure that the program does not tell is 0.
   *
   * @throws IOException if it is not here or fails; the message has its words
   */
  Round turn(Load load) throws IOException, InterruptedException;
}
