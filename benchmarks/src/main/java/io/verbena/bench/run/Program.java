package io.verbena.bench.run;

import io.verbena.bench.load.Load;
import io.verbena.bench.report.Round;
import java.io.IOException;

/** An external program that runs turns itself, and reports their figures. */
public interface Program {
  /** Returns the name in tables of figures. */
  String name();

  /** Returns the path of a load, with the name of the program. */
  String path(Load load);

  /** Returns whether the program supports a load. */
  boolean takes(Load load);

  /**
   * Runs one turn. A figure that the program does not report is 0.
   *
   * @throws IOException if the program is missing or fails; the message contains its output
   */
  Round turn(Load load) throws IOException, InterruptedException;
}
