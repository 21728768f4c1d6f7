package io.verbena.fuzz.decoder;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.stub.Schema;
import io.verbena.api.wire.WireException;
import io.verbena.codec.Compatibility;
import io.verbena.codec.SchemaCheck;
import io.verbena.codec.SchemaWire;
import io.verbena.fuzz.Meter;
import io.verbena.fuzz.Target;
import io.verbena.testkit.contract.HerbariumRpc;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A peer's contract: read, compared with this end's, and told in words. */
public final class SchemaTarget implements Target {
  private static final Schema HERE = HerbariumRpc.SERVICE.schema();

  @Override
  public void take(byte[] input, Meter meter) {
    Schema there = readOrNull(input);
    if (there == null) {
      return;
    }
    meter.start();
    Compatibility found = SchemaCheck.compare(HERE, there);
    assertThat(found.problems()).doesNotContainNull();
    for (Schema.Method method : HERE.methods()) {
      String misfit = found.misfit(method.id());
      assertThat(misfit == null || misfit.startsWith("the two ends' contracts differ")).isTrue();
    }
  }

  private static @Nullable Schema readOrNull(byte[] input) {
    try {
      Schema read = SchemaWire.read(Bytes.decoder(input));
      byte[] again = Bytes.encode(out -> SchemaWire.write(out, read));
      assertThat(SchemaWire.read(Bytes.decoder(again))).isEqualTo(read);
      return read;
    } catch (WireException refused) {
      assertThat(refused.getMessage()).isNotEmpty();
      return null;
    }
  }

  @Override
  public List<byte[]> seeds() {
    List<Schema.Method> one = HERE.methods().subList(4, 5);
    Schema small = new Schema("herbarium.v1", one, List.of());
    return List.of(
        Bytes.encode(out -> SchemaWire.write(out, HERE)),
        Bytes.encode(out -> SchemaWire.write(out, small)),
        Bytes.encode(out -> SchemaWire.write(out, wordy())));
  }

  /** A long name that is to be told once for each of many members: it once took memory for both. */
  private static Schema wordy() {
    String name = "L".repeat(1_000);
    Schema.Method first = HERE.methods().getFirst();
    List<Schema.Member> value = List.of(new Schema.Member("value", name, false));
    List<Schema.Member> members =
        IntStream.range(0, 1_000)
            .mapToObj(i -> new Schema.Member(Integer.toString(i), "", false))
            .toList();
    return new Schema(
        "herbarium.v1",
        List.of(
            new Schema.Method(first.id(), first.name(), false, value, first.result(), List.of())),
        List.of(new Schema.Type(name, Schema.Kind.RECORD, members)));
  }

  /** This end's contract takes some 200 kB to be compared; the peer's, in proportion. */
  @Override
  public long mostBytes(int inputLength) {
    return 1_000_000 + 300L * inputLength;
  }
}
