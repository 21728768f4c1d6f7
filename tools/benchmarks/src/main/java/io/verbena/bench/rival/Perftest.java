package io.verbena.bench.rival;

import io.verbena.bench.load.Kind;
import io.verbena.bench.load.Load;
import io.verbena.bench.load.Memory;
import io.verbena.bench.report.Round;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Runs the programs of perftest between two processes on one device, and reads their output:
 * ib_send_lat for calls one at a time, ib_write_bw and ib_read_bw for large objects.
 */
public final class Perftest {
  private static final int MOST_SECONDS = 60;
  private static final int MOST_TRIES = 5;
  private static final long START_MILLIS = 500;
  private static final int LATENCY_MESSAGES = 4_000;

  /** The bytes of all messages in a run, which take a second at 10 ms for each MiB. */
  private static final int BANDWIDTH_BYTES = 64 << 20;

  /** The programs refuse fewer messages. */
  private static final int LEAST_MESSAGES = 5;

  /** Longer messages cost the same for each byte, but take longer. */
  private static final int MOST_BYTES = 16 << 20;

  private static final double MEBIBYTE = 1 << 20;
  private static final Pattern BLANKS = Pattern.compile("\\s+");

  private final String device;
  private final String address;

  /** Makes a runner for a device with an address. */
  public Perftest(String device, String address) {
    this.device = device;
    this.address = address;
  }

  /** Returns whether a program measures a load. It must be a closed loop with the same memory. */
  public static boolean measures(Load load) {
    if (load.isPaced() || (load.kind().movesObjects() && load.memory() != Memory.WARM)) {
      return false;
    }
    return switch (load.kind()) {
      case CALL -> load.outstanding() == 1 && load.connections() == 1;
      case PUT, FETCH -> load.connections() == 1;
      case PUSH, PULL, ONEWAY, MIXED, CONNECT -> false;
    };
  }

  /** Returns the path of a load, with the name of the program. */
  public String path(Load load) {
    String cut = load.size() > MOST_BYTES ? " of " + (MOST_BYTES >> 20) + " MiB" : "";
    return "rdma (" + program(load.kind()) + cut + ", " + device + ")";
  }

  private static String program(Kind kind) {
    return switch (kind) {
      case PUT -> "ib_write_bw";
      case FETCH -> "ib_read_bw";
      default -> "ib_send_lat";
    };
  }

  /**
   * Runs one turn. A program prints no times if it could not measure the processor's clock. It is
   * run again. A figure that it does not print is 0.
   *
   * @throws IOException if the program is missing or fails; the message contains its output
   */
  public Round turn(Load load) throws IOException, InterruptedException {
    for (int tries = 1; ; tries++) {
      try {
        return oneTurn(load);
      } catch (NoTimesException e) {
        if (tries == MOST_TRIES) {
          throw e;
        }
      }
    }
  }

  private Round oneTurn(Load load) throws IOException, InterruptedException {
    String program = program(load.kind());
    if (load.kind() == Kind.CALL) {
      List<String> words = List.of("-n", "" + LATENCY_MESSAGES);
      return latency(program, load, run(program, load.size(), words));
    }
    int depth = load.outstanding();
    int bytes = Math.min(load.size(), MOST_BYTES);
    int messages = Math.max(Math.max(LEAST_MESSAGES, 2 * depth), BANDWIDTH_BYTES / bytes);
    List<String> words = List.of("-n", "" + messages, "-t", "" + depth, "-Q", "1");
    return bandwidth(program, load, messages, bytes, run(program, bytes, words));
  }

  /** Runs a program against itself, and returns its output. */
  private String run(String program, int bytes, List<String> options)
      throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(List.of(program, "-d", device, "-F", "-s", "" + bytes));
    words.addAll(options);
    Process server = start(0, words);
    try {
      Thread.sleep(START_MILLIS); // it prints nothing when it listens
      words.add(address);
      Process asked = start(1, words);
      try {
        return output(program, asked);
      } finally {
        asked.destroyForcibly();
      }
    } finally {
      server.destroyForcibly();
    }
  }

  private static String output(String program, Process asked)
      throws IOException, InterruptedException {
    CompletableFuture<byte[]> output =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return asked.getInputStream().readAllBytes();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    if (!asked.waitFor(MOST_SECONDS, TimeUnit.SECONDS)) {
      throw new IOException(program + " had not ended after " + MOST_SECONDS + " s");
    }
    return new String(output.join(), StandardCharsets.UTF_8);
  }

  /** Starts a program on its own processor, like the two JVMs. It ends with this process. */
  private static Process start(int processor, List<String> command) throws IOException {
    List<String> words =
        new ArrayList<>(List.of("setpriv", "--pdeathsig", "KILL", "taskset", "-c", "" + processor));
    words.addAll(command);
    return new ProcessBuilder(words).redirectErrorStream(true).start();
  }

  /** Reads the columns bytes, iterations, least, most, typical, mean, deviation, 99 %, 99.9 %. */
  static Round latency(String program, Load load, String output) throws IOException {
    double[] columns = columns(program, output, load.size(), 9);
    double[] micros = new double[columns.length];
    for (int i = 2; i < columns.length; i++) {
      micros[i] = 2 * columns[i]; // it prints half a round trip
    }
    double rate = 1e6 / micros[5];
    return Round.told(
        micros[4], micros[7], micros[8], micros[3], (long) columns[1], rate, gigabytes(load, rate));
  }

  /** Reads the columns bytes, iterations, peak and average in MiB/s. */
  static Round bandwidth(String program, Load load, int messages, int bytes, String output)
      throws IOException {
    double rate = columns(program, output, bytes, 4)[3] * MEBIBYTE / load.size();
    return Round.told(0, 0, 0, 0, messages, rate, gigabytes(load, rate));
  }

  private static double gigabytes(Load load, double rate) {
    return rate * load.kind().payloadBytes(load.size()) / 1e9;
  }

  /** Returns the columns of the line that starts with the size. */
  private static double[] columns(String program, String output, int bytes, int least)
      throws IOException {
    for (String line : output.lines().toList()) {
      List<String> words = BLANKS.splitAsStream(line.strip()).toList();
      if (words.size() >= least && words.getFirst().equals("" + bytes)) {
        try {
          return words.stream().mapToDouble(Double::parseDouble).toArray();
        } catch (NumberFormatException e) {
          throw new NoTimesException(program + " printed no figures: " + line.strip(), e);
        }
      }
    }
    throw new IOException(program + " printed no line for " + bytes + " bytes: " + output.strip());
  }

  private static final class NoTimesException extends IOException {
    private static final long serialVersionUID = 1L;

    NoTimesException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
