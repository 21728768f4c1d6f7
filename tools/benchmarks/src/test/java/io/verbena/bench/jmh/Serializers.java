package io.verbena.bench.jmh;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** One value, written and read by generated code and by Kryo. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
    value = 1,
    jvmArgsAppend = {"--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED"})
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class Serializers {
  /** How many entries the value has. */
  @Param({"1", "30"})
  int entries = 1;

  private final LoopedBack loop = new LoopedBack();
  private final Catalogue.Generated generated = Catalogue_GeneratedRpc.SERVICE.client().apply(loop);
  private final Catalogue.Registered registered =
      Catalogue_RegisteredRpc.SERVICE.client().apply(loop);
  private Catalogue value = Catalogue.of(entries);

  /** Makes the value, and says how long it is either way. */
  @Setup
  public void prepare() {
    value = Catalogue.of(entries);
    generated.echo(value);
    int bytes = loop.length();
    registered.echo(value);
    System.out.printf("%d bytes generated, %d by Kryo%n", bytes, loop.length());
  }

  /** By generated code. */
  @Benchmark
  public Object generated() {
    return generated.echo(value);
  }

  /** By Kryo. */
  @Benchmark
  public Object kryo() {
    return registered.echo(value);
  }
}
