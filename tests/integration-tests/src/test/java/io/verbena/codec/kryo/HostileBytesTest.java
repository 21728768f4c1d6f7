package io.verbena.codec.kryo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.esotericsoftware.kryo.kryo5.Kryo;
import com.esotericsoftware.kryo.kryo5.Serializer;
import com.esotericsoftware.kryo.kryo5.io.Input;
import com.esotericsoftware.kryo.kryo5.io.Output;
import com.sun.management.ThreadMXBean;
import io.verbena.api.wire.WireException;
import io.verbena.codec.kryo.Drawing.Circle;
import io.verbena.codec.kryo.Drawing.Colour;
import io.verbena.codec.kryo.Drawing.Point;
import io.verbena.codec.kryo.Drawing.Shape;
import io.verbena.codec.kryo.KryoSerializerTest.Anything;
import java.lang.management.ManagementFactory;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostileBytesTest {
  /** 2 billion in Kryo's two ways of writing a length, behind class id and reference. */
  private static final String[] HUGE = {"ffffffff07", "ffffffff0f", "ffffffff7f"};

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private final DrawingSerializer drawings = new DrawingSerializer();
  private final byte[] sample = Encoded.write(drawings, Drawing.sample());
  private final Anything anything = new Anything(BitSet.class, PriorityQueue.class);

  @Test
  void noMessageThatIsCutOffIsRead() {
    for (int length = 0; length < sample.length; length++) {
      byte[] cut = Arrays.copyOf(sample, length);
      assertThatThrownBy(() -> Encoded.read(drawings, cut)).isInstanceOf(WireException.class);
    }
  }

  @Test
  void noMessageWithMoreBehindItIsRead() {
    byte[] longer = Arrays.copyOf(sample, sample.length + 2);
    assertThatThrownBy(() -> Encoded.read(drawings, longer))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("2 bytes follow the value");
  }

  @Test
  void aMessageWithAByteChangedIsReadOrRefusedAndNothingElse() {
    for (int at = 0; at < sample.length; at++) {
      for (int bit = 0; bit < 8; bit++) {
        byte[] changed = sample.clone();
        changed[at] ^= (byte) (1 << bit);
        Throwable thrown = catchThrowable(() -> Encoded.read(drawings, changed));
        if (thrown != null) {
          assertThat(thrown).isInstanceOf(WireException.class);
        }
      }
    }
    assertThat(Encoded.read(drawings, sample))
        .usingRecursiveComparison()
        .isEqualTo(Drawing.sample());
  }

  private static List<Object> containers() {
    return List.of(
        new boolean[0],
        new byte[0],
        new short[0],
        new char[0],
        new int[0],
        new long[0],
        new float[0],
        new double[0],
        new String[0],
        new Object[0],
        new ArrayList<>(),
        new ArrayDeque<>(),
        new HashSet<>(),
        new PriorityQueue<>(),
        new HashMap<>(),
        new TreeMap<>(),
        List.of(),
        Arrays.asList(),
        new BitSet(),
        BigInteger.ONE,
        "");
  }

  @Test
  void noLengthIsBelieved() {
    for (Object empty : containers()) {
      byte[] honest = Encoded.write(anything, empty);
      for (String huge : HUGE) {
        byte[] lie = HexFormat.of().parseHex("%02x01%s0000".formatted(honest[0], huge));
        assertThat(allocatedToRefuse(anything, lie)).isLessThan(4 << 20);
      }
    }
  }

  /** Each list claims what is left of the message, within another that has claimed it. */
  @ParameterizedTest
  @ValueSource(ints = {0, 10})
  void listsWithinListsCannotClaimTheSameBytesTwice(int kind) {
    Object empty = kind == 0 ? new Object[0] : new ArrayList<>();
    byte[] honest = Encoded.write(anything, empty);
    int bytes = 1 << 20;
    Output lies = new Output(2 * bytes);
    for (int i = 0; i < 200; i++) {
      lies.writeByte(honest[0]);
      lies.writeByte(1);
      if (kind == 0) {
        lies.writeVarInt(bytes - 10_000, true);
      } else {
        lies.writeVarIntFlag(false, bytes - 10_000, true);
      }
    }
    byte[] lie = Arrays.copyOf(lies.toBytes(), bytes);
    assertThat(allocatedToRefuse(anything, lie)).isLessThan(20 << 20);
  }

  private static long allocatedToRefuse(KryoSerializer<Object> serializer, byte[] lie) {
    long before = THREADS.getCurrentThreadAllocatedBytes();
    assertThatThrownBy(() -> Encoded.read(serializer, lie))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("elements cannot be in");
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }

  /** Written as a set, and hashed by identity here, so that it can be made at all. */
  private static final class AsSet extends ArrayList<Object> {
    private static final long serialVersionUID = 1L;
  }

  /** The same as a map. */
  private static final class AsMap extends IdentityHashMap<Object, Object> {
    private static final long serialVersionUID = 1L;
  }

  /** Each level has the one below twice: itself, and in a list that refers to it. */
  private static Object withinOneAnother(boolean keys, boolean inList) {
    Object level = 0;
    for (int i = 0; i < 60; i++) {
      Object again = inList ? new ArrayList<>(List.of(level)) : level;
      if (keys) {
        AsMap next = new AsMap();
        next.put(level, i);
        next.put(new ArrayList<>(List.of(again)), i);
        level = next;
      } else {
        AsSet next = new AsSet();
        next.add(level);
        next.add(new ArrayList<>(List.of(again)));
        level = next;
      }
    }
    return new ArrayList<>(List.of(level));
  }

  @ParameterizedTest
  @CsvSource({"false, false", "false, true", "true, false", "true, true"})
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void noHashTakesTwiceAsLongForEachLevelOfWhatIsHashed(boolean keys, boolean inList) {
    Anything sham =
        new Anything(
            kryo -> {
              kryo.register(AsSet.class, kryo.getDefaultSerializer(AsSet.class), 23);
              kryo.register(AsMap.class, kryo.getDefaultSerializer(AsMap.class), 26);
            });
    byte[] hostile = Encoded.write(sham, withinOneAnother(keys, inList));
    assertThatThrownBy(() -> Encoded.read(anything, hostile))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("inside an element of a set or a key of a map");
  }

  /** Says what may stand where, in each way that there is. */
  static final class Declaring {
    Object anything = "";
    Shape shape = new Circle();
    List<Shape> list = new ArrayList<>();
    Map<String, List<Shape>> map = new HashMap<>();
    SortedMap<String, Shape> sorted = new TreeMap<>(new Backwards());
    Shape[] array = {};
    Declared inRecord = new Declared(List.of(), "");
  }

  /** The same of a record. */
  record Declared(List<? extends Shape> list, Object anything) {}

  /** Written in the same way, and takes anything anywhere. */
  static final class Lying {
    Object anything = "";
    Object shape = new Circle();
    List<Object> list = new ArrayList<>();
    Map<String, List<Object>> map = new HashMap<>();
    SortedMap<String, Object> sorted = new TreeMap<>(new Backwards());
    Object array = new Shape[0];
    Lied inRecord = new Lied(List.of(), "");
  }

  /** The same of a record. */
  record Lied(List<Object> list, Object anything) {}

  /** The beginning of a sorted map. */
  static final class Backwards implements Comparator<String> {
    @Override
    public int compare(String a, String b) {
      return b.compareTo(a);
    }
  }

  /** Counts how often it is hashed. */
  static final class Hashed {
    static int times;

    @Override
    public int hashCode() {
      return ++times;
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }
  }

  private static final class HolderSerializer<T> extends KryoSerializer<T> {
    HolderSerializer(Class<T> holder, Class<?> inRecord) {
      super(
          5,
          holder,
          inRecord,
          Circle.class,
          Point.class,
          Colour.class,
          Shape[].class,
          Backwards.class,
          Hashed.class);
    }
  }

  private final HolderSerializer<Declaring> declaring =
      new HolderSerializer<>(Declaring.class, Declared.class);
  private final HolderSerializer<Lying> lying = new HolderSerializer<>(Lying.class, Lied.class);

  /** A container in a wrong place. */
  @SuppressWarnings("ImmutableEnumChecker") // a function without state
  private enum Misplaced {
    IN_FIELD((lie, set) -> lie.shape = set),
    IN_LIST((lie, set) -> lie.list.add(set)),
    BESIDE_OTHERS((lie, set) -> lie.list.addAll(List.of(new Circle(), set))),
    IN_LIST_OF_MAP((lie, set) -> lie.map.put("a", new ArrayList<>(List.of(set)))),
    IN_SORTED_MAP((lie, set) -> lie.sorted.put("a", set)),
    IN_ARRAY((lie, set) -> lie.array = new Object[] {set}),
    IN_RECORD((lie, set) -> lie.inRecord = new Lied(new ArrayList<>(List.of(set)), ""));

    final BiConsumer<Lying, Object> lie;

    Misplaced(BiConsumer<Lying, Object> lie) {
      this.lie = lie;
    }
  }

  @ParameterizedTest
  @EnumSource
  void aContainerThatTheDeclaredTypeExcludesIsRefusedBeforeItIsRead(Misplaced where) {
    Lying lie = new Lying();
    where.lie.accept(lie, new HashSet<>(List.of(new Hashed())));
    byte[] hostile = Encoded.write(lying, lie);
    int before = Hashed.times;
    assertThatThrownBy(() -> Encoded.read(declaring, hostile))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("was expected, but a ");
    assertThat(Hashed.times).isEqualTo(before);
  }

  @Test
  void aContainerIsRefusedBeforeItIsReadWhereAnotherValueIsToCome() {
    byte[] hostile = Encoded.write(new Anything(Hashed.class), new HashSet<>(List.of(1)));
    assertThatThrownBy(() -> Encoded.read(drawings, hostile))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("Drawing was expected, but a java.util.HashSet came");
  }

  @Test
  void aReferenceToAContainerIsRefusedWhereAnotherClassIsNamed() {
    Lying lie = new Lying();
    Set<Object> set = new HashSet<>();
    lie.anything = set;
    lie.shape = set;
    byte[] hostile = Encoded.write(lying, lie);
    assertThatThrownBy(() -> Encoded.read(declaring, hostile)).isInstanceOf(WireException.class);
  }

  @Test
  void whatIsDeclaredIsReadWhereverItStands() {
    Declaring honest = new Declaring();
    honest.anything = new HashSet<>(List.of(1));
    honest.list.addAll(List.of(new Circle(), new Circle()));
    honest.map.put("a", new ArrayList<>(List.of(new Circle())));
    honest.sorted.put("a", new Circle());
    honest.sorted.put("b", new Circle());
    honest.array = new Shape[] {new Circle()};
    honest.inRecord = new Declared(List.of(new Circle()), new ArrayList<>(List.of("b")));
    Declaring read = Encoded.copy(declaring, honest);
    assertThat(read).usingRecursiveComparison().isEqualTo(honest);
    assertThat(read.sorted.firstKey()).isEqualTo("b");
  }

  @Test
  void whatIsSharedOutsideOfSetsAndKeysIsReadAsItWasWritten() {
    List<Object> shared = new ArrayList<>(List.of(1, 2));
    Set<Object> words = new HashSet<>(List.of("a", "b"));
    Map<Object, Object> map = new HashMap<>();
    map.put(new HashSet<>(List.of(1)), shared);
    map.put("other", shared);
    List<Object> all = new ArrayList<>(List.of(words, words, map, shared));
    List<?> read = (List<?>) Encoded.read(anything, Encoded.write(anything, all));
    assertThat(read).isEqualTo(all);
    assertThat(read.get(0)).isSameAs(read.get(1));
    assertThat(((Map<?, ?>) read.get(2)).get("other")).isSameAs(read.get(3));
  }

  @Test
  void noClassIsLoadedByTheNameThatAPeerGives() {
    byte[] named =
        HexFormat.of()
            .parseHex(
                "0100"
                    + HexFormat.of().formatHex("javax.Evil".getBytes(StandardCharsets.US_ASCII)));
    assertThatThrownBy(() -> Encoded.read(anything, named))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("the peer names a class");
  }

  @Test
  void aSerializerOfTheUsersReadsItsCountsChecked() {
    Anything own = new Anything(kryo -> kryo.register(long[].class, new ShortLongs()));
    assertThat(Encoded.copy(own, new long[] {7, -7})).isEqualTo(new long[] {7, -7});
    byte[] honest = Encoded.write(own, new long[0]);
    byte[] lie = HexFormat.of().parseHex("%02x01ffffffff07".formatted(honest[0]));
    assertThat(allocatedToRefuse(own, lie)).isLessThan(4 << 20);
  }

  /** A count, then numbers. */
  private static final class ShortLongs extends Serializer<long[]> {
    @Override
    public void write(Kryo kryo, Output output, long[] value) {
      output.writeVarInt(value.length, true);
      output.writeLongs(value, 0, value.length, false);
    }

    @Override
    public long[] read(Kryo kryo, Input input, Class<? extends long[]> type) {
      long[] value = new long[KryoSerializer.readCount(input)];
      Arrays.setAll(value, i -> input.readVarLong(false));
      return value;
    }
  }
}
