package io.verbena.bench;

import io.verbena.bench.command.CountsCommand;
import io.verbena.bench.command.FeaturesCommand;
import io.verbena.bench.command.OverloadCommand;
import io.verbena.bench.command.TargetsCommand;
import picocli.CommandLine;

/**
 * The commands of the project's own instruments: {@code bench targets}, {@code counts}, {@code
 * features} and {@code overload}.
 */
public final class Instruments {
  private Instruments() {}

  /** Runs one command, of the bench's own too. */
  public static void main(String[] args) {
    System.exit(Main.execute(commandLine(), args));
  }

  /** Returns the bench's commands, and the instruments beside them. */
  public static CommandLine commandLine() {
    return Main.commandLine()
        .addSubcommand(new TargetsCommand())
        .addSubcommand(new CountsCommand())
        .addSubcommand(new FeaturesCommand())
        .addSubcommand(new OverloadCommand());
  }
}
