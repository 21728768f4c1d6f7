package io.verbena.cli.call;

import io.verbena.cli.WrongUsage;
import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;

/** The command, run in this process. */
final class Shell {
  /** Its outcome. */
  record Run(int exit, String out, String err) {}

  private Shell() {}

  /** Runs it with nothing on its standard input. */
  static Run call(String... words) {
    return callWith("", words);
  }

  /** Runs it with this standard input. */
  static Run callWith(String in, String... words) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    byte[] bytes = in.getBytes(StandardCharsets.UTF_8);
    int exit =
        new CommandLine(new CallCommand(new ByteArrayInputStream(bytes)))
            .setCommandName("verbena call")
            .setParameterExceptionHandler(new WrongUsage())
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(words);
    return new Run(exit, out.toString(), err.toString());
  }
}
