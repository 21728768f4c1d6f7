package io.verbena.bench.spread;

import io.verbena.bench.run.ServerProcess;
import io.verbena.bench.run.Subprocess;
import io.verbena.bench.usage.Usage;
import io.verbena.bench.verbena.BenchControl;
import io.verbena.bench.verbena.BenchControlRpc;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What a server with so many event loops did for many clients, each in a process of its own.
 *
 * @param callsPerSecond of all clients together
 * @param cpuMicrosPerCall of the server's process, all threads
 * @param processors how many the server's process kept busy
 */
public record SpreadTurn(double callsPerSecond, double cpuMicrosPerCall, double processors) {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double NANOS_PER_MICRO = 1e3;

  /**
   * Measures one turn.
   *
   * @param loops the server's
   * @param clients how many there are, with so many calls under way each
   * @param warmup how long they call before they are counted
   */
  public static SpreadTurn measure(
      int loops, int clients, int outstanding, Duration warmup, Duration turn)
      throws IOException, InterruptedException {
    List<Subprocess> processes = new ArrayList<>();
    List<AtomicLong> answered = new ArrayList<>();
    try (ServerProcess server =
            ServerProcess.start(List.of("--listen=127.0.0.1:0", "--loops=" + loops));
        VerbenaClient client = VerbenaClient.builder().path(PathPolicy.TCP_ONLY).build()) {
      BenchControl control = BenchControlRpc.client(client.connect(server.address()));
      for (int i = 0; i < clients; i++) {
        Subprocess process =
            Subprocess.start(
                List.of("-Xmx128m", "-XX:+UseSerialGC"),
                BusyClientProgram.class,
                server.address(),
                Integer.toString(outstanding));
        processes.add(process);
        answered.add(new AtomicLong());
      }
      for (int i = 0; i < clients; i++) {
        hear(processes.get(i), answered.get(i));
      }
      Thread.sleep(warmup);
      Usage before = control.usage();
      long since = System.nanoTime();
      long first = sum(answered);
      Thread.sleep(turn);
      double calls = sum(answered) - first;
      double nanos = System.nanoTime() - since;
      double cpuNanos = control.usage().since(before).cpuNanos();
      return new SpreadTurn(
          calls / nanos * NANOS_PER_SECOND, cpuNanos / calls / NANOS_PER_MICRO, cpuNanos / nanos);
    } finally {
      for (Subprocess process : processes) {
        process.close();
      }
    }
  }

  /** Returns when it makes calls; notes from then on how many were answered. */
  private static void hear(Subprocess process, AtomicLong answered) throws IOException {
    answered.set(Long.parseLong(process.line()));
    Thread.ofVirtual()
        .start(
            () -> {
              try {
                while (true) {
                  answered.set(Long.parseLong(process.line()));
                }
              } catch (IOException e) {
                // It has ended, as it was told to, or has said why on its standard error.
              }
            });
  }

  private static long sum(List<AtomicLong> answered) {
    return answered.stream().mapToLong(AtomicLong::get).sum();
  }
}
