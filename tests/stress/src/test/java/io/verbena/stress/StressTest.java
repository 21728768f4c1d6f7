package io.verbena.stress;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Runs what is declared here under jcstress, which starts a JVM or more for each class and way of
 * compiling it: some minutes, so only with {@code -Dverbena.full=true}. {@code
 * -Dverbena.stress.tests} is a pattern of those to run (all), {@code -Dverbena.stress.millis} how
 * long each of three iterations takes (500), {@code -Dverbena.stress.mode} is jcstress's.
 */
@Timeout(36_000)
class StressTest {
  private static final Path HOME = Path.of("target/jcstress");

  @Test
  @EnabledIfSystemProperty(named = "verbena.full", matches = "true")
  void nothingButWhatIsDeclaredHappens() throws Exception {
    Files.createDirectories(HOME);
    Path log = HOME.resolve("log").toAbsolutePath();
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "org.openjdk.jcstress.Main",
                "-m",
                System.getProperty("verbena.stress.mode", "sanity"),
                "-sc",
                "false",
                "-af",
                "NONE",
                "-iters",
                "3",
                "-hs", // mebibytes of heap for each of its JVMs; without, they share all there is
                "256",
                "-time",
                System.getProperty("verbena.stress.millis", "500"),
                "-t",
                System.getProperty("verbena.stress.tests", "io.verbena"),
                "-r",
                HOME.resolve("report").toAbsolutePath().toString()));
    Process process =
        new ProcessBuilder(command)
            .directory(HOME.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    int exit;
    try {
      exit = process.waitFor();
    } finally {
      process.destroyForcibly();
    }
    String text = Files.readString(log);
    int results = text.indexOf("RUN RESULTS");
    if (exit != 0 || results < 0) {
      throw new AssertionError(
          "jcstress saw what is not declared, or could not run; all of it: "
              + log
              + "\n"
              + text.substring(Math.max(0, results)));
    }
  }
}
