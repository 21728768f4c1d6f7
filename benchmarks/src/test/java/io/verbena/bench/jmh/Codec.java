package io.verbena.bench.jmh;

import io.verbena.codec.WireDecoder;
import io.verbena.codec.WireEncoder;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** A record of a few members, written into a slot and read from it: what generated code does. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
    value = 1,
    jvmArgsAppend = {"--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED"})
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class Codec {
  private static final int MOST_BYTES = 1 << 20;
  private static final int DEPTH = 64;

  private final ByteBuffer slot = ByteBuffer.allocateDirect(4096);
  private final WireEncoder encoder = new WireEncoder();
  private final WireDecoder decoder = new WireDecoder();
  private final String name = "a string of thirty-two letters..";
  private long id = 42;

  /** Writes the record. */
  @Benchmark
  public int encode() {
    encoder.start(slot, 0, MOST_BYTES, DEPTH);
    int mark = encoder.beginRecord();
    encoder.writeLong(id++);
    encoder.writeVarInt(7);
    encoder.writeBoolean(true);
    encoder.writeString(name);
    encoder.endRecord(mark);
    return encoder.length();
  }

  /** Writes the record and reads it; the string is the only object made. */
  @Benchmark
  public long encodeAndDecode() {
    int length = encode();
    decoder.start(slot, 0, length, DEPTH);
    int end = decoder.beginRecord();
    long sum = decoder.readLong() + decoder.readVarInt() + (decoder.readBoolean() ? 1 : 0);
    sum += decoder.readString().length();
    decoder.endRecord(end);
    return sum;
  }
}
