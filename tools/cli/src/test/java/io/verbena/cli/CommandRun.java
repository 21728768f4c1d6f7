package io.verbena.cli;

import io.verbena.testkit.JavaProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * The command as a user runs it, in a process of its own, which has ended.
 *
 * @param out the lines that it printed
 */
record CommandRun(int exit, List<String> out, String err) {
  static CommandRun of(String... arguments) throws IOException, InterruptedException {
    JavaProcess.Ended ended = command(arguments).keepsErrors().run(Duration.ofMinutes(5));
    return new CommandRun(ended.status(), ended.out().lines().toList(), ended.errors());
  }

  /** Returns how to start the command. */
  static JavaProcess.Builder command(String... arguments) {
    return JavaProcess.of(Main.class, arguments)
        .options("--enable-native-access=ALL-UNNAMED") // as the jar's manifest says
        .options("-Duser.language=ar", "-Duser.country=EG"); // which has other digits
  }
}
