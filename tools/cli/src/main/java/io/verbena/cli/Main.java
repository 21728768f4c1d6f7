package io.verbena.cli;

import io.verbena.cli.call.CallCommand;
import io.verbena.cli.demo.DemoCommand;
import io.verbena.cli.demo.DemoServerCommand;
import io.verbena.cli.doctor.DoctorCommand;
import io.verbena.cli.stat.StatCommand;
import java.io.BufferedWriter;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The {@code verbena} command. */
@Command(
    name = "verbena",
    description = "RPC for Java. Calls use RDMA if both ends have it, else TCP.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    scope = CommandLine.ScopeType.INHERIT,
    subcommands = {
      CallCommand.class,
      DemoCommand.class,
      DemoServerCommand.class,
      DoctorCommand.class,
      StatCommand.class
    })
public final class Main {
  private Main() {}

  /** Runs one command. The exit status is 0 for success, 1 for failure and 2 for wrong usage. */
  public static void main(String[] args) {
    // Programs read the output, and no digits but ASCII's.
    Locale.setDefault(Locale.ROOT);
    System.exit(run(args));
  }

  static int run(String... args) {
    return new CommandLine(new Main())
        .setOut(standardOut())
        .setParameterExceptionHandler(new WrongUsage())
        .setExecutionExceptionHandler(
            (failure, command, parsed) -> {
              command.getErr().println("verbena: " + inWords(failure));
              return 1;
            })
        .execute(args);
  }

  /** Returns a writer that reports failed writes. {@code System.out} hides them. */
  private static PrintWriter standardOut() {
    OutputStream out = new FileOutputStream(FileDescriptor.out);
    Charset charset = System.out.charset();
    return new PrintWriter(new BufferedWriter(new OutputStreamWriter(out, charset)), true);
  }

  private static String inWords(Throwable failure) {
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }
}
