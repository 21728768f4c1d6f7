package io.verbena.fuzz.decoder;

import static io.verbena.fuzz.contract.HerbariumWire.CONTRACT;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.Schema;
import io.verbena.api.wire.WireException;
import io.verbena.fuzz.Meter;
import io.verbena.fuzz.Target;
import io.verbena.fuzz.contract.HerbariumWire;
import io.verbena.fuzz.reference.Malformed;
import io.verbena.fuzz.reference.RandomTrees;
import io.verbena.fuzz.reference.Reader;
import io.verbena.fuzz.reference.Tree;
import io.verbena.fuzz.reference.Values;
import io.verbena.fuzz.reference.Writer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Generated decoders, beside the reference: both take a message or both refuse it, make the same of
 * it, and write the same. The input's first byte says which method's arguments it is, or that it is
 * a declared exception.
 */
public final class ContractTarget implements Target {
  private static final List<MethodDescriptor<?>> METHODS = HerbariumWire.methods();
  private static final MethodDescriptor<?> THROWING =
      METHODS.stream().filter(method -> method.errors() != null).findFirst().orElseThrow();

  private final HerbariumWire wire = new HerbariumWire();
  private final Values values = new Values(CONTRACT);

  @Override
  public void take(byte[] input, Meter meter) {
    if (input.length == 0) {
      return;
    }
    byte[] message = Arrays.copyOfRange(input, 1, input.length);
    int selected = (input[0] & 0xff) % (METHODS.size() + 2);
    if (selected < METHODS.size()) {
      arguments(METHODS.get(selected), message, meter);
    } else {
      thrown(selected - METHODS.size(), message, meter);
    }
  }

  private void arguments(MethodDescriptor<?> method, byte[] message, Meter meter) {
    Schema.Method schema = HerbariumWire.schema(method);
    List<Tree> expected = null;
    String refusal = "";
    try {
      expected = new Reader(CONTRACT, message).members(schema.parameters());
    } catch (Malformed e) {
      refusal = e.getMessage();
    }
    meter.start();
    byte[] result = null;
    try {
      result = wire.call(method, message);
    } catch (WireException e) {
      assertThat(expected).as("%s, which the reference takes", e.getMessage()).isNull();
    }
    meter.stop(); // the reference may take what it likes
    if (result == null) {
      return;
    }
    assertThat(expected).as("refused by the reference: %s", refusal).isNotNull();
    List<Tree> taken = new ArrayList<>();
    for (int i = 0; i < schema.parameters().size(); i++) {
      taken.add(values.tree(schema.parameters().get(i).type(), wire.taken().get(i)));
    }
    assertThat(taken).isEqualTo(expected);
    if (!method.oneway()) {
      assertThat(result)
          .isEqualTo(new Writer(CONTRACT).members(schema.parameters(), taken).bytes());
    }
  }

  private void thrown(int index, byte[] message, Meter meter) {
    String type = HerbariumWire.schema(THROWING).errors().get(index);
    Tree expected = null;
    try {
      expected = new Reader(CONTRACT, message).value(type);
    } catch (Malformed refused) {
      // and so it must be there
    }
    meter.start();
    Exception read = error(index, message);
    meter.stop();
    assertThat(read == null ? null : values.tree(type, read)).isEqualTo(expected);
  }

  private static @Nullable Exception error(int index, byte[] message) {
    try {
      return HerbariumWire.error(THROWING, index, message);
    } catch (WireException refused) {
      assertThat(refused.getMessage()).isNotEmpty();
      return null;
    }
  }

  @Override
  public List<byte[]> seeds() {
    List<byte[]> seeds = new ArrayList<>();
    RandomTrees trees = new RandomTrees(CONTRACT, new Random(1));
    for (int i = 0; i < METHODS.size(); i++) {
      List<Schema.Member> parameters = HerbariumWire.schema(METHODS.get(i)).parameters();
      for (int round = 0; round < 3; round++) {
        List<Tree> made = trees.members(parameters);
        seeds.add(Bytes.with(i, new Writer(CONTRACT).members(parameters, made).bytes()));
      }
    }
    for (int index = 0; index < 2; index++) {
      String type = HerbariumWire.schema(THROWING).errors().get(index);
      List<Tree> made = trees.members(CONTRACT.members(type));
      byte[] error = new Writer(CONTRACT).value(type, new Tree.Row(made)).bytes();
      seeds.add(Bytes.with(METHODS.size() + index, error));
    }
    return seeds;
  }

  /** Containers start at 1,024 places at most, and where they are nested each may lie once. */
  @Override
  public long mostBytes(int inputLength) {
    return 128_000 + 100L * inputLength;
  }
}
