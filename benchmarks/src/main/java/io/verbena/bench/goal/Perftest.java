package io.verbena.bench.goal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/** perftest's programs, run between two processes on one device, and what they print. */
public final class Perftest {
  private static final int MOST_SECONDS = 60;
  private static final long START_MILLIS = 1_000;

  /** In the table of a latency program: its typical value, half a round trip in microseconds. */
  static final int TYPICAL = 4;

  /** In the table of a bandwidth program: its average, in MiB/s. */
  static final int AVERAGE = 3;

  private static final Pattern BLANKS = Pattern.compile("\\s+");

  private final String device;
  private final String address;

  /** Programs on this device, which has that address. */
  public Perftest(String device, String address) {
    this.device = device;
    this.address = address;
  }

  /**
   * Runs a program against itself.
   *
   * @param column of the table it prints, from 0
   * @throws IOException if it fails or prints no such table; the message has its words
   */
  double run(String program, int bytes, int column, String... options)
      throws IOException, InterruptedException {
    Process server = start(0, command(program, bytes, options));
    try {
      Thread.sleep(START_MILLIS); // it says nothing when it listens
      List<String> client = command(program, bytes, options);
      client.add(address);
      Process asked = start(1, client);
      String output = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (!asked.waitFor(MOST_SECONDS, TimeUnit.SECONDS)) {
        asked.destroyForcibly();
      }
      return parse(program, output, bytes, column);
    } finally {
      if (!server.waitFor(MOST_SECONDS, TimeUnit.SECONDS)) {
        server.destroyForcibly();
      }
    }
  }

  private List<String> command(String program, int bytes, String... options) {
    List<String> command = new ArrayList<>(List.of(program, "-d", device, "-F", "-s", "" + bytes));
    Collections.addAll(command, options);
    return command;
  }

  /** On a processor of its own, as the two JVMs are. */
  private static Process start(int processor, List<String> command) throws IOException {
    List<String> pinned = new ArrayList<>(List.of("taskset", "-c", "" + processor));
    pinned.addAll(command);
    return new ProcessBuilder(pinned).redirectErrorStream(true).start();
  }

  /** Returns a column of the line that starts with the size. */
  static double parse(String program, String output, int bytes, int column) throws IOException {
    for (String line : output.lines().toList()) {
      List<String> words = BLANKS.splitAsStream(line.strip()).toList();
      if (words.size() > column && words.getFirst().equals("" + bytes)) {
        return Double.parseDouble(words.get(column));
      }
    }
    throw new IOException(program + " printed no line for " + bytes + " bytes: " + output);
  }
}
