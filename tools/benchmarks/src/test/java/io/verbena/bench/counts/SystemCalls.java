package io.verbena.bench.counts;

/**
 * What some operations over TCP have asked of the kernel.
 *
 * @param title what was done
 * @param operations how often
 * @param bytes what they have moved, all together
 * @param client by the client's threads
 * @param server by the server's
 */
public record SystemCalls(String title, int operations, long bytes, Calls client, Calls server) {
  private static final double MEBIBYTE = 1 << 20;

  /** Returns how many both ends need for each MiB, for loads that move so much. */
  public double perMebibyte() {
    return (client.total() + server.total()) / (bytes / MEBIBYTE);
  }
}
