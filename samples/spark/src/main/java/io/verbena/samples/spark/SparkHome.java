package io.verbena.samples.spark;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * An installation of Spark that is made of jars on the class path. Local clusters start their
 * executors with what is in its folder {@code jars}, and find it by variables of the environment,
 * so the program starts itself once more with these.
 */
final class SparkHome {
  private static final String HOME = "SPARK_HOME";

  /** What Spark opens for itself when its scripts start a program. */
  private static final List<String> OPENED =
      List.of(
          "java.lang",
          "java.lang.invoke",
          "java.lang.reflect",
          "java.io",
          "java.net",
          "java.nio",
          "java.util",
          "java.util.concurrent",
          "java.util.concurrent.atomic",
          "jdk.internal.ref",
          "sun.nio.ch",
          "sun.nio.cs",
          "sun.util.calendar");

  private SparkHome() {}

  /** Returns whether this process was started by {@link #restart}. */
  static boolean isHere() {
    return Boolean.getBoolean("verbena.sample.restarted");
  }

  /** Runs a program in a process with an installation, which goes when this one exits. */
  static int restart(Class<?> program, String... args) throws IOException, InterruptedException {
    Path home = Files.createTempDirectory("spark-home");
    link(Files.createDirectory(home.resolve("jars")));
    ProcessBuilder builder = new ProcessBuilder(command(home, program, args)).inheritIO();
    builder.environment().put(HOME, home.toString());
    builder.environment().put("SPARK_SCALA_VERSION", "2.13");
    builder.environment().put("SPARK_LOCAL_IP", "127.0.0.1");
    Process process = builder.start();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> end(process, home)));
    return process.waitFor();
  }

  private static void end(Process process, Path home) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    try {
      process.waitFor(5, TimeUnit.SECONDS);
      delete(home);
    } catch (IOException e) {
      System.err.println("cannot delete " + home + ": " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void link(Path jars) throws IOException {
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      Path jar = Path.of(entry);
      Path link = jars.resolve(jar.getFileName());
      if (Files.isRegularFile(jar) && !Files.exists(link)) {
        Files.createSymbolicLink(link, jar.toAbsolutePath());
      }
    }
  }

  private static List<String> command(Path home, Class<?> program, String... args) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    OPENED.forEach(name -> command.add("--add-opens=java.base/" + name + "=ALL-UNNAMED"));
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.add("-Dverbena.sample.restarted=true");
    command.add("-Djava.io.tmpdir=" + home);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
    command.addAll(List.of(args));
    return command;
  }

  private static void delete(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
