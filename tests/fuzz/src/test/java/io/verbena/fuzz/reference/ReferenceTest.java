package io.verbena.fuzz.reference;

import static io.verbena.fuzz.contract.HerbariumWire.CONTRACT;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.Schema;
import io.verbena.fuzz.contract.HerbariumWire;
import io.verbena.testkit.Seed;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the processor generates, beside the reference: of random values both make the same bytes,
 * and of the same bytes the same values.
 */
class ReferenceTest {
  private static final int ROUNDS = 300;

  private final HerbariumWire wire = new HerbariumWire();
  private final Values values = new Values(CONTRACT);

  static List<MethodDescriptor<?>> methods() {
    return HerbariumWire.methods();
  }

  @ParameterizedTest
  @MethodSource("methods")
  void sameBytesAndSameValuesBothWays(MethodDescriptor<?> method) throws Malformed {
    Random random = Seed.random("reference encoding of " + method);
    Schema.Method schema = HerbariumWire.schema(method);
    RandomTrees trees = new RandomTrees(CONTRACT, random);
    for (int round = 0; round < ROUNDS; round++) {
      List<Tree> made = trees.members(schema.parameters());
      byte[] bytes = new Writer(CONTRACT).members(schema.parameters(), made).bytes();
      assertThat(new Reader(CONTRACT, bytes).members(schema.parameters())).isEqualTo(made);
      byte[] result = wire.call(method, bytes);
      assertThat(taken(schema)).as("decoded in round %d", round).isEqualTo(made);
      if (!method.oneway()) {
        assertThat(result).as("encoded in round %d", round).isEqualTo(bytes);
        assertThat(values.tree(schema.result(), HerbariumWire.result(method, bytes)))
            .as("result in round %d", round)
            .isEqualTo(made.getFirst());
      }
    }
  }

  private List<Tree> taken(Schema.Method schema) {
    List<Tree> taken = new ArrayList<>();
    for (int i = 0; i < schema.parameters().size(); i++) {
      taken.add(values.tree(schema.parameters().get(i).type(), wire.taken().get(i)));
    }
    return taken;
  }

  @ParameterizedTest
  @MethodSource("methods")
  void declaredExceptionsAsWell(MethodDescriptor<?> method) throws Malformed {
    Random random = Seed.random("reference encoding of what is thrown by " + method);
    List<String> errors = HerbariumWire.schema(method).errors();
    for (int index = 0; index < errors.size(); index++) {
      String type = errors.get(index);
      for (int round = 0; round < ROUNDS; round++) {
        List<Tree> made = new RandomTrees(CONTRACT, random).members(CONTRACT.members(type));
        byte[] bytes = new Writer(CONTRACT).value(type, new Tree.Row(made)).bytes();
        Exception read = HerbariumWire.error(method, index, bytes);
        assertThat(values.tree(type, read)).isEqualTo(new Tree.Row(made));
      }
    }
  }

  @Test
  void theBytesOfOneValueAreAsTheyAreDescribed() {
    // Herb("a", Leaf(1, 2), VIOLET): subtype 1, 13 bytes, a string, a record of 8 bytes, a place.
    byte[] herb = HexFormat.of().parseHex("010c" + "0161" + "08" + "00000001" + "00000002" + "02");
    assertThat(wire.call(method("plant"), herb)).isEqualTo(herb);
    // Moss.CUSHION: subtype 3, behind its length since it is an enum.
    byte[] moss = HexFormat.of().parseHex("03" + "01" + "01");
    assertThat(wire.call(method("plant"), moss)).isEqualTo(moss);
  }

  private static MethodDescriptor<?> method(String name) {
    return methods().stream().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
  }
}
