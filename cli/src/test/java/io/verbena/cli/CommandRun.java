package io.verbena.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command as a user runs it, in a process of its own, which has ended.
 *
 * @param out the lines that it printed
 */
record CommandRun(int exit, List<String> out, String err) {
  static CommandRun of(String... arguments) throws IOException, InterruptedException {
    Path err = Path.of("target", "run-" + ProcessHandle.current().pid() + ".err");
    Process process = start(err, arguments);
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int exit = process.waitFor();
    return new CommandRun(exit, out.lines().toList(), Files.readString(err));
  }

  /** Starts the command; what it prints as errors goes to the file. */
  static Process start(Path err, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED"); // as the jar's manifest says
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")); // quick to start
    command.addAll(List.of("-Duser.language=ar", "-Duser.country=EG")); // which has other digits
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(err.toFile()).start();
  }
}
