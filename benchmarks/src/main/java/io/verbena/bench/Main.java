package io.verbena.bench;

import io.verbena.bench.command.ClientCommand;
import io.verbena.bench.command.CompareCommand;
import io.verbena.bench.command.LocalCommand;
import io.verbena.bench.command.ServerCommand;
import io.verbena.bench.command.TargetsCommand;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Where {@code verbena bench} starts. */
@Command(
    name = "bench",
    description = "Measures calls on each path, and beside what else there is.",
    footer =
        "'bench lab' is 'bench local' in the laboratory, over RDMA; so is 'bench targets --lab'.",
    mixinStandardHelpOptions = true,
    subcommands = {
      LocalCommand.class,
      ServerCommand.class,
      ClientCommand.class,
      CompareCommand.class,
      TargetsCommand.class
    })
public final class Main {
  private Main() {}

  /** Runs one command; exits with 0 when it did what it should, 1 when not, 2 for wrong usage. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  /** Returns the command, to be executed. */
  public static CommandLine commandLine() {
    return new CommandLine(new Main())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionExceptionHandler(
            (failure, command, parsed) -> {
              command.getErr().println("verbena bench: " + inWords(failure));
              return 1;
            });
  }

  private static String inWords(Throwable failure) {
    if (failure instanceof NoSuchFileException missing) {
      return missing.getFile() + ": no such file";
    }
    if (failure instanceof AccessDeniedException denied) {
      return denied.getFile() + ": permission denied";
    }
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }
}
