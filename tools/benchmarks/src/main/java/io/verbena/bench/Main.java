package io.verbena.bench;

import static java.util.stream.Collectors.joining;

import io.verbena.bench.command.ClientCommand;
import io.verbena.bench.command.CompareCommand;
import io.verbena.bench.command.LocalCommand;
import io.verbena.bench.command.ServerCommand;
import io.verbena.bench.rival.Rival;
import io.verbena.bench.usage.Versions;
import io.verbena.cli.WrongUsage;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command {@code verbena bench}. */
@Command(
    name = "bench",
    description = "Measures calls on each path, also of rivals.",
    footer = "'bench lab' is 'bench local' in the laboratory, over RDMA.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    scope = CommandLine.ScopeType.INHERIT,
    subcommands = {
      LocalCommand.class,
      ServerCommand.class,
      ClientCommand.class,
      CompareCommand.class
    })
public final class Main {
  private Main() {}

  /** Runs one command. The exit status is 0 for success, 1 for failure and 2 for wrong usage. */
  public static void main(String[] args) {
    System.exit(execute(commandLine(), args));
  }

  /** Runs one of these commands; returns its exit status. */
  public static int execute(CommandLine commands, String... args) {
    try {
      return commands.execute(args);
    } catch (OutOfMemoryError e) {
      System.err.println(
          "verbena bench: not enough memory ("
              + e.getMessage()
              + "); choose a lower --size, --outstanding or --connections");
      return 1;
    }
  }

  /** The text that {@code --version} prints. */
  static final class Version implements CommandLine.IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"verbena bench " + Versions.verbena()};
    }
  }

  public static CommandLine commandLine() {
    return new CommandLine(new Main())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(
            (failure, words) ->
                new WrongUsage().handleParseException(withHint(failure, words), words))
        .setExecutionExceptionHandler(
            (failure, command, parsed) -> {
              command.getErr().println("verbena bench: " + inWords(failure));
              return 1;
            });
  }

  /** Adds a hint at the names of rivals, which are a common cause of unmatched words. */
  private static ParameterException withHint(ParameterException failure, String... words) {
    boolean hasRivals = Arrays.stream(words).anyMatch(word -> word.startsWith("--rivals"));
    if (!hasRivals || !(failure instanceof UnmatchedArgumentException)) {
      return failure;
    }
    String names =
        Arrays.stream(Rival.values())
            .map(rival -> rival.name().toLowerCase(Locale.ROOT))
            .collect(joining(","));
    return new ParameterException(
        failure.getCommandLine(),
        failure.getMessage() + "; --rivals accepts a list of " + names + ", without blanks",
        failure);
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
