package io.verbena.bench.jmh;

import io.verbena.testkit.SteppedWorld;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A typed async call with a non-blocking handler, client and server stepped by one thread over the
 * in-memory link: the whole path of a call but the network and the hand-over between threads.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
    value = 1,
    jvmArgsAppend = {"--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED"})
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class CallPath {
  private static final int BATCH = 32;

  private final Repeater service = message -> message;
  private final byte[] message = new byte[64];
  private SteppedWorld world = new SteppedWorld();
  private RepeaterRpc.Async repeater = connect();

  private RepeaterRpc.Async connect() {
    world.server(server -> server.serve(RepeaterRpc.bind(service)));
    return RepeaterRpc.async(world.client().session(world.address()));
  }

  /** Opens the session, so that no iteration pays for it. */
  @Setup
  public void open() {
    CompletableFuture<byte[]> first = repeater.repeat(message).toCompletableFuture();
    world.runUntil(first::isDone);
  }

  /** Ends the session. */
  @TearDown
  public void close() {
    world.close();
  }

  /** One of a batch of calls that share their duty cycles. */
  @Benchmark
  @OperationsPerInvocation(BATCH)
  public boolean call() {
    CompletableFuture<byte[]> last = repeater.repeat(message).toCompletableFuture();
    for (int i = 1; i < BATCH; i++) {
      last = repeater.repeat(message).toCompletableFuture();
    }
    while (!last.isDone()) {
      world.step();
    }
    return last.isDone();
  }
}
