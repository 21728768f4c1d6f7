package io.verbena.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.stub.Schema;
import io.verbena.api.stub.Schema.Kind;
import io.verbena.api.stub.Schema.Member;
import io.verbena.api.stub.Schema.Method;
import io.verbena.api.wire.Serializer;
import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import io.verbena.testkit.Seed;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class SchemaTest {
  private static final Member NAME = new Member("name", "java.lang.String", false);
  private static final Member PRICE = new Member("price", "long", true);
  private static final Method GET =
      new Method(1, "get", false, List.of(NAME), "shop.Item", List.of("shop.NoSuchItem"));

  private static Schema with(Schema.Type... types) {
    return new Schema("store.v1", List.of(GET), List.of(types));
  }

  private static Schema with(Method... methods) {
    return new Schema("store.v1", List.of(methods), List.of());
  }

  private static Schema.Type type(Kind kind, Member... members) {
    return new Schema.Type("shop.Item", kind, List.of(members));
  }

  private static Schema.Type constants(String... names) {
    return type(
        Kind.ENUM,
        Arrays.stream(names).map(name -> new Member(name, "", false)).toArray(Member[]::new));
  }

  private static Method get(List<Member> parameters, String result, String... errors) {
    return new Method(1, "get", false, parameters, result, List.of(errors));
  }

  private static Schema.Type custom(String... layout) {
    return Schema.Type.custom("shop.Item", new Laid(List.of(layout)));
  }

  /** A serializer of the user's of which only the layout counts. */
  private record Laid(List<String> layout) implements Serializer<Object> {
    @Override
    public int classId() {
      return 7;
    }

    @Override
    public void write(WireOut out, Object value) {}

    @Override
    public Object read(WireIn in) {
      throw new UnsupportedOperationException();
    }
  }

  private static List<String> mismatches(Schema here, Schema there) {
    return SchemaCheck.compare(here, there).misfits().values().stream()
        .flatMap(List::stream)
        .distinct()
        .toList();
  }

  /** Both ends find the same, each from its side. */
  private static void assertFit(Schema here, Schema there) {
    assertThat(mismatches(here, there)).isEmpty();
    assertThat(mismatches(there, here)).isEmpty();
  }

  private static void assertMismatch(Schema here, Schema there, String... words) {
    assertThat(mismatches(here, there)).singleElement().asString().contains(words);
    assertThat(mismatches(there, here)).hasSize(1);
  }

  @Nested
  class Fits {
    @Test
    void aSchemaAndItself() {
      assertFit(with(type(Kind.RECORD, NAME, PRICE)), with(type(Kind.RECORD, NAME, PRICE)));
    }

    @Test
    void trailingMembersWithADefault() {
      assertFit(with(type(Kind.RECORD, NAME, PRICE)), with(type(Kind.RECORD, NAME)));
    }

    @Test
    void trailingParametersWithADefaultAndTrailingExceptions() {
      assertFit(
          with(get(List.of(NAME), "long", "shop.NoSuchItem")),
          with(get(List.of(NAME, PRICE), "long", "shop.NoSuchItem", "shop.TooLate")));
    }

    @Test
    void methodsAndTypesThatOneEndHasMore() {
      Method put = new Method(2, "put", true, List.of(), "void", List.of());
      assertFit(with(GET), with(GET, put));
      Schema.Type other = new Schema.Type("shop.Other", Kind.ENUM, List.of());
      assertFit(with(constants("A")), with(constants("A"), other));
    }

    @Test
    void constantsAndSubtypesThatOneEndHasMore() {
      assertFit(with(constants("A", "B")), with(constants("A")));
      Member circle = new Member("1", "shop.Circle", false);
      Member square = new Member("2", "shop.Square", false);
      assertFit(with(type(Kind.SEALED, circle)), with(type(Kind.SEALED, circle, square)));
    }

    @Test
    void whatOneEndsSerializerHasMore() {
      assertFit(
          with(custom("references", "64 shop.Box")),
          with(custom("references", "64 shop.Box", "65 shop.Bag")));
    }
  }

  @Nested
  class NamesTypeAndMember {
    @Test
    void ofAMemberWithAnotherType() {
      assertMismatch(
          with(type(Kind.RECORD, NAME, PRICE)),
          with(type(Kind.RECORD, NAME, new Member("price", "double", true))),
          "type shop.Item, member 2 is 'price: long' here and 'price: double' there");
    }

    @Test
    void ofAStreamThatIsAValueAtTheOtherEnd() {
      assertMismatch(
          with(get(List.of(NAME), "java.util.concurrent.Flow.Publisher<long>")),
          with(get(List.of(NAME), "long")),
          "method get (id 1) returns 'java.util.concurrent.Flow.Publisher<long>' here and 'long'"
              + " there");
    }

    @Test
    void ofMembersThatChangedPlaces() {
      Member cost = new Member("cost", "long", true);
      List<String> mismatches =
          mismatches(with(type(Kind.RECORD, PRICE, cost)), with(type(Kind.RECORD, cost, PRICE)));
      assertThat(mismatches).hasSize(2);
    }

    @Test
    void ofAMemberWithoutDefaultThatOneEndLacks() {
      assertMismatch(
          with(type(Kind.RECORD, PRICE, NAME)),
          with(type(Kind.RECORD, PRICE)),
          "type shop.Item: member 'name: java.lang.String' exists only here",
          "make it @Nullable or Optional");
    }

    @Test
    void ofAnotherKindOfType() {
      assertMismatch(
          with(type(Kind.RECORD)),
          with(type(Kind.ENUM)),
          "type shop.Item is 'RECORD' here and 'ENUM' there");
    }

    @Test
    void ofAConstantThatMoved() {
      assertMismatch(
          with(constants("A", "B")),
          with(constants("A", "X", "B")),
          "constant 1 is 'B' here and 'X' there");
    }

    @Test
    void ofATypeThatOneEndWritesByASerializerOfItsOwn() {
      assertMismatch(
          with(type(Kind.CUSTOM, new Member("7", "", false))),
          with(new Schema.Type[0]),
          "method get (id 1) returns 'shop.Item' here and 'shop.Item' there");
    }

    @Test
    void ofAContractThatIsTooLargeToBeCompared() {
      Schema.Type[] types = new Schema.Type[5_000];
      for (int i = 0; i < types.length; i++) {
        types[i] =
            new Schema.Type(
                i == 0 ? "shop.Item" : "T" + i,
                Kind.RECORD,
                List.of(new Member("next", "T" + (i + 1), true)));
      }
      Schema mine = with(type(Kind.RECORD, new Member("next", "shop.Item?", true)));
      assertThat(mismatches(mine, with(types))).singleElement().asString().contains("too large");
    }

    /** Names and members of a peer's are as many and as long as fit a message. */
    @Test
    void inWordsThatAreNoLongerThanAReaderWants() {
      String longName = "L".repeat(10_000);
      List<Member> members = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        members.add(new Member("member" + i, i % 2 == 0 ? "long" : longName, i % 3 == 0));
      }
      Schema mine = with(type(Kind.RECORD, NAME, PRICE));
      Schema theirs =
          new Schema(
              "store.v1",
              List.of(new Method(1, longName, false, members, longName, List.of(longName))),
              List.of(new Schema.Type(longName, Kind.RECORD, members)));
      Compatibility found = SchemaCheck.compare(mine, theirs);
      assertThat(found.misfit(1)).contains("member8").hasSizeLessThan(32_000);
      assertThat(String.join("", found.notes())).hasSizeLessThan(32_000);
    }

    @Test
    void ofMoreMethodsOfOneNameThanAContractOverloads() {
      Method[] methods = new Method[4_000];
      for (int i = 0; i < methods.length; i++) {
        methods[i] = new Method(100 + i, "get", false, List.of(NAME), "shop.Item", List.of());
      }
      assertThat(mismatches(with(GET), with(methods)))
          .singleElement()
          .asString()
          .contains("too large");
    }

    @Test
    void ofTypesThatNestAsDeepAsAMessageAllows() {
      String deep = "shop.Item" + "[]".repeat(100_000);
      assertThat(mismatches(with(get(List.of(), deep)), with(get(List.of(), deep + "?"))))
          .hasSize(1);
      assertThat(mismatches(with(get(List.of(), deep + "[]")), with(get(List.of(), deep))))
          .hasSize(1);
    }

    @Test
    void ofASubtypeWithAnotherId() {
      assertMismatch(
          with(type(Kind.SEALED, new Member("1", "shop.Circle", false))),
          with(type(Kind.SEALED, new Member("2", "shop.Circle", false))),
          "id of subtype shop.Circle is '1' here and '2' there");
      assertMismatch(
          with(type(Kind.SEALED, new Member("1", "shop.Circle", false))),
          with(type(Kind.SEALED, new Member("1", "shop.Square", false))),
          "subtype with id 1 is 'shop.Circle' here and 'shop.Square' there");
    }

    @Test
    void ofASerializerWithAnotherClassId() {
      assertMismatch(
          with(type(Kind.CUSTOM, new Member("7", "", false))),
          with(type(Kind.CUSTOM, new Member("8", "", false))),
          "class id of its serializer is '7' here and '8' there");
    }

    @Test
    void ofASerializerThatLaysOutItsBytesInAnotherWay() {
      assertMismatch(
          with(custom("64 shop.Box: width int")),
          with(custom("64 shop.Box: width long")),
          "part 1 of its serializer's layout is '64 shop.Box: width int' here and"
              + " '64 shop.Box: width long' there");
      String long200 = "64 shop.Box: " + "x int; ".repeat(40);
      assertMismatch(
          with(custom("references", long200 + "y int; z int")),
          with(custom("references", long200 + "y long; z int")),
          "part 2 of its serializer's layout is 'int; z int' here and 'long; z int' there");
    }

    @Test
    void ofAMethod() {
      assertMismatch(
          with(get(List.of(), "long")),
          with(get(List.of(), "int")),
          "method get (id 1) returns 'long'");
      assertMismatch(
          with(get(List.of(), "long", "A")),
          with(get(List.of(), "long", "B")),
          "method get (id 1) throws");
      assertMismatch(
          with(new Method(1, "get", true, List.of(), "void", List.of())),
          with(new Method(1, "get", false, List.of(), "void", List.of())),
          "method get (id 1) is 'one-way' here and 'two-way' there");
      assertMismatch(
          with(get(List.of(NAME), "long")),
          with(get(List.of(PRICE), "long")),
          "parameter 1 is 'name: java.lang.String'");
    }
  }

  @Nested
  class OnTheWire {
    private final Schema schema =
        new Schema(
            "store.v1",
            List.of(GET, new Method(2, "put", true, List.of(NAME, PRICE), "void", List.of())),
            List.of(type(Kind.RECORD, NAME, PRICE), constants("A", "B")));

    @Test
    void comesBackWithTheSameHash() {
      byte[] bytes = written();
      Schema back = read(bytes);
      assertThat(back).isEqualTo(schema);
      assertThat(back.hash()).isEqualTo(schema.hash());
    }

    @Test
    void endsInAnErrorWhereverItIsCutOff() {
      byte[] bytes = written();
      for (int length = 0; length < bytes.length; length++) {
        byte[] cut = Arrays.copyOf(bytes, length);
        assertThatThrownBy(() -> read(cut)).isInstanceOf(WireException.class);
      }
    }

    @Test
    void endsInAnErrorOrASchemaWhenBytesAreDamaged() {
      long seed = Seed.number("SchemaTest");
      Random random = new Random(seed);
      byte[] bytes = written();
      List<Throwable> refusals = new ArrayList<>();
      for (int round = 0; round < 5_000; round++) {
        byte[] damaged = bytes.clone();
        random
            .ints(1 + random.nextInt(8), 0, bytes.length)
            .forEach(i -> damaged[i] = (byte) random.nextInt());
        try {
          assertThat(mismatches(schema, read(damaged))).doesNotContainNull();
        } catch (WireException refused) {
          refusals.add(refused);
        }
      }
      assertThat(refusals).as("seed %d", seed).isNotEmpty();
    }

    private byte[] written() {
      WireEncoder out = new WireEncoder();
      out.start(ByteBuffer.allocate(16), 0, 1 << 16, 8);
      SchemaWire.write(out, schema);
      byte[] bytes = new byte[out.length()];
      out.buffer().get(0, bytes);
      return bytes;
    }

    private Schema read(byte[] bytes) {
      WireDecoder in = new WireDecoder();
      in.start(ByteBuffer.wrap(bytes), 0, bytes.length, 8);
      return SchemaWire.read(in);
    }
  }
}
