package io.verbena.simulation;

import picocli.CommandLine;

/** The {@code simulate} command. */
public final class Main {
  private Main() {}

  /** Runs seeds. The exit status is 0 if all rules held, 1 if not, and 2 for wrong usage. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new SimulateCommand()).execute(args));
  }
}
