package io.verbena.verbs.ffm.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;

/** One end of one measurement; the script {@code verbs/verbs-ffm/bench} starts two. */
final class VerbsBench {
  private static final int PORT = 18_700;

  private VerbsBench() {}

  /**
   * Runs one end: {@code send-lat|write-bw server|client ADDRESS BYTES ROUNDS}. The client prints
   * one number: microseconds, or MiB per second.
   */
  public static void main(String[] arguments) throws IOException {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getByName(arguments[2]), PORT);
    int bytes = Integer.parseInt(arguments[3]);
    int rounds = Integer.parseInt(arguments[4]);
    boolean server = arguments[1].equals("server");
    switch (arguments[0]) {
      case "send-lat" -> {
        SendLatency latency = new SendLatency(bytes);
        if (server) {
          latency.serve(address, rounds);
        } else {
          print(latency.measure(address, rounds));
        }
      }
      case "write-bw" -> {
        WriteBandwidth bandwidth = new WriteBandwidth(bytes);
        if (server) {
          bandwidth.serve(address);
        } else {
          print(bandwidth.measure(address, rounds));
        }
      }
      default -> throw new IllegalArgumentException("no measurement " + arguments[0]);
    }
  }

  private static void print(double value) {
    System.out.printf(Locale.ROOT, "%.2f%n", value);
  }
}
