package io.verbena.it.two;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One of the two machines: runs commands there, and tells what its kernel holds. */
enum Machine {
  A("bash -c"),
  B("lab-on b");

  private static final Pattern RESOURCE = Pattern.compile("\\b(pd|cq|qp|mr|srq) (\\d+)");
  private static final Pattern COUNTER = Pattern.compile("hw_counters/(\\w+):(\\d+)");

  private final String shell;

  Machine(String shell) {
    this.shell = shell;
  }

  /** Starts a command, which ends with this process at the latest. */
  Process start(String command) throws IOException {
    List<String> words = new ArrayList<>(List.of(shell.split(" ")));
    words.add(command);
    return new ProcessBuilder(words).redirectErrorStream(true).start();
  }

  /** Runs a command that succeeds within a minute, and returns what it prints. */
  String run(String command) throws IOException, InterruptedException {
    return run(command, 60);
  }

  /** Runs a command that succeeds within some seconds, and returns what it prints. */
  String run(String command, int seconds) throws IOException, InterruptedException {
    Process process = start(command);
    FutureTask<String> reading =
        new FutureTask<>(
            () ->
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
                    .strip());
    Thread.ofPlatform().daemon().start(reading); // for ever, if the command cannot even be killed
    try {
      String output = reading.get(seconds, TimeUnit.SECONDS);
      if (process.waitFor(5, TimeUnit.SECONDS) && process.exitValue() == 0) {
        return output;
      }
      throw new IOException(this + ": " + command + ": " + output);
    } catch (ExecutionException | TimeoutException e) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      throw new IOException(this + ": " + command + " does not end", e);
    }
  }

  /** Returns how many queue pairs and the like the kernel has, those of its own included. */
  Map<String, Long> resources() throws IOException, InterruptedException {
    return numbers(RESOURCE, run("rdma resource show"));
  }

  /** Returns the device's own counters. */
  Map<String, Long> counters() throws IOException, InterruptedException {
    String device = System.getenv("LAB_DEVICE");
    return numbers(
        COUNTER, run("grep . /sys/class/infiniband/" + device + "/ports/1/hw_counters/*"));
  }

  private static Map<String, Long> numbers(Pattern pattern, String text) {
    Map<String, Long> found = new TreeMap<>();
    for (Matcher match = pattern.matcher(text); match.find(); ) {
      found.put(match.group(1), Long.valueOf(match.group(2)));
    }
    return found;
  }
}
