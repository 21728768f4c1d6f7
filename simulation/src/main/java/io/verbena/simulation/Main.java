package io.verbena.simulation;

import picocli.CommandLine;

/** Where the {@code simulate} command starts. */
public final class Main {
  private Main() {}

  /** Runs seeds; exits with 0 when all rules held in all of them, 1 when not, 2 for wrong usage. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new SimulateCommand()).execute(args));
  }
}
