package io.verbena.codec.kryo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.wire.WireException;
import io.verbena.testkit.Seed;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever the page on Kryo promises comes back equal: values of each type of the JDK, wherever
 * they stand. They are valid and seldom: nulls, extremes, and times that a clock shows twice.
 */
@SuppressWarnings({"NullAway", "JdkObsolete"}) // nulls and old lists are among the values
class KeepsEqualTest {
  private static final int VALUES = 150;

  /** Constants of which one has a class of its own. */
  enum Colour {
    RED,
    AMBER {
      @Override
      int rank() {
        return 2;
      }
    },
    GREEN;

    int rank() {
      return 1;
    }
  }

  /** More constants than fit a long. */
  enum Many {
    A0,
    A1,
    A2,
    A3,
    A4,
    A5,
    A6,
    A7,
    A8,
    A9,
    B0,
    B1,
    B2,
    B3,
    B4,
    B5,
    B6,
    B7,
    B8,
    B9,
    C0,
    C1,
    C2,
    C3,
    C4,
    C5,
    C6,
    C7,
    C8,
    C9,
    D0,
    D1,
    D2,
    D3,
    D4,
    D5,
    D6,
    D7,
    D8,
    D9,
    E0,
    E1,
    E2,
    E3,
    E4,
    E5,
    E6,
    E7,
    E8,
    E9,
    F0,
    F1,
    F2,
    F3,
    F4,
    F5,
    F6,
    F7,
    F8,
    F9,
    G0,
    G1,
    G2,
    G3,
    G4,
    G5
  }

  /** Places of a value: a component and a field, of its own type and of any. */
  record Held(@Nullable Object any, List<@Nullable Object> list, Map<String, Object> map) {}

  static final class Fields {
    @Nullable Object any;
    @Nullable Object again;
    Object[] array = {};
    Optional<Object> optional = Optional.empty();
  }

  static final class Everything extends KryoSerializer<Object> {
    Everything() {
      super(
          9,
          Object.class,
          Colour.class,
          Many.class,
          Held.class,
          Fields.class,
          Colour[].class,
          int[][].class,
          Integer[].class);
    }
  }

  private static final class Values {
    final Random random;

    Values(Random random) {
      this.random = random;
    }

    @SafeVarargs
    final <T> T one(T... of) {
      return of[random.nextInt(of.length)];
    }

    int size() {
      return one(0, 1, 2, 3, 5, 70);
    }

    int anInt() {
      return one(
          random.nextInt(), random.nextInt(300) - 150, 0, Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    long aLong() {
      return one(random.nextLong(), (long) anInt(), Long.MIN_VALUE, Long.MAX_VALUE, -1L);
    }

    double aDouble() {
      return one(random.nextGaussian(), -0.0, 0.0, Double.NaN, Double.MIN_VALUE, 1 / 0.0, -1 / 0.0);
    }

    /** Any characters, single halves of pairs and zeros among them. */
    String text() {
      int length = one(0, 1, 2, 31, 32, 33, 63, 64, 65, 300);
      int bound = one(128, 256, 0x800, 0x10000);
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < length; i++) {
        text.append((char) random.nextInt(bound));
      }
      return text.toString();
    }

    BigInteger bigInteger() {
      return one(
          new BigInteger(random.nextInt(300), random).subtract(BigInteger.valueOf(aLong())),
          BigInteger.valueOf(aLong()),
          BigInteger.ZERO,
          BigInteger.TEN.negate());
    }

    BigDecimal bigDecimal() {
      return one(
          new BigDecimal(bigInteger(), random.nextInt(60) - 30),
          new BigDecimal(bigInteger(), Integer.MAX_VALUE),
          new BigDecimal(BigInteger.ZERO, random.nextInt(9) - 4),
          BigDecimal.valueOf(random.nextInt(99), 2),
          BigDecimal.ZERO,
          BigDecimal.ONE,
          BigDecimal.TEN);
    }

    LocalDate date() {
      return one(
          LocalDate.MIN,
          LocalDate.MAX,
          LocalDate.EPOCH,
          LocalDate.ofEpochDay(anInt()),
          zoned().toLocalDate());
    }

    LocalTime time() {
      return one(
          LocalTime.MIN,
          LocalTime.MAX,
          LocalTime.of(random.nextInt(24), 0),
          LocalTime.of(1, random.nextInt(60), 0),
          LocalTime.of(1, 2, random.nextInt(60)),
          LocalTime.ofNanoOfDay(random.nextLong(86_400_000_000_000L)));
    }

    ZoneOffset offset() {
      return one(
          ZoneOffset.UTC,
          ZoneOffset.MIN,
          ZoneOffset.MAX,
          ZoneOffset.ofTotalSeconds(random.nextInt(2 * 64_800 + 1) - 64_800));
    }

    ZoneId zone() {
      return one(
          ZoneId.of("Europe/Berlin"),
          ZoneId.of("America/St_Johns"),
          ZoneId.of("Africa/Monrovia"),
          ZoneId.of("UTC"),
          ZoneId.of("GMT+2"),
          ZoneId.of("UTC-01:30"),
          offset());
    }

    Instant instant() {
      return one(
          Instant.MIN,
          Instant.MAX,
          Instant.EPOCH,
          Instant.ofEpochSecond(anInt(), random.nextInt(1_000_000_000)));
    }

    /** Half of them while clocks are set back: the local time has two offsets. */
    ZonedDateTime zoned() {
      ZoneId zone = zone();
      Instant at = Instant.ofEpochSecond(random.nextInt(), random.nextInt(1_000_000_000));
      var next = zone.getRules().nextTransition(at);
      if (next == null || random.nextBoolean()) {
        return at.atZone(zone);
      }
      return next.getInstant().plusSeconds(random.nextInt(7200) - 3600).atZone(zone);
    }

    @Nullable Object leaf() {
      return one(
          null,
          anInt(),
          aLong(),
          aDouble(),
          text(),
          random.nextBoolean(),
          (char) random.nextInt(65536),
          Colour.AMBER,
          Colour.RED,
          zoned(),
          bigDecimal(),
          Optional.of(text()),
          new int[] {anInt()},
          new UUID(aLong(), aLong()));
    }

    /** For sets and keys, where equality is by value. */
    Object key() {
      return one(
          anInt(),
          aLong(),
          aDouble(),
          text(),
          Colour.AMBER,
          zoned(),
          bigDecimal(),
          List.of(text()));
    }

    <T> List<T> many(java.util.function.Supplier<? extends T> of) {
      List<T> all = new ArrayList<>();
      for (int i = size(); i > 0; i--) {
        all.add(of.get());
      }
      return all;
    }

    <C extends Collection<@Nullable Object>> C into(C container, boolean nulls) {
      container.addAll(many(() -> nulls ? leaf() : key()));
      return container;
    }

    <M extends Map<@Nullable Object, @Nullable Object>> M entries(M map, boolean nulls) {
      many(this::key).forEach(key -> map.put(key, nulls ? leaf() : key()));
      return map;
    }

    EnumSet<Colour> colours() {
      return one(
          EnumSet.noneOf(Colour.class), EnumSet.allOf(Colour.class), EnumSet.of(Colour.AMBER));
    }

    EnumSet<Many> manyConstants() {
      EnumSet<Many> set = EnumSet.noneOf(Many.class);
      many(() -> one(Many.values())).forEach(set::add);
      return set;
    }

    EnumMap<Colour, @Nullable Object> enumMap() {
      EnumMap<Colour, @Nullable Object> map = new EnumMap<>(Colour.class);
      colours().forEach(colour -> map.put(colour, leaf()));
      return map;
    }

    @SuppressWarnings("NonApiType") // the class is what is tested
    TreeMap<Object, Object> sorted(@Nullable Comparator<Object> by) {
      TreeMap<Object, Object> map = new TreeMap<>(by);
      many(this::text).forEach(text -> map.put(text, key()));
      return map;
    }
  }

  /** A type of the JDK, with its values. */
  private record Type(String name, Function<Values, @Nullable Object> values) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static Type type(String name, Function<Values, @Nullable Object> values) {
    return new Type(name, values);
  }

  @SuppressWarnings("unchecked") // orders of strings
  static Stream<Type> types() {
    return Stream.of(
        type("null", v -> null),
        type("Boolean", v -> v.random.nextBoolean()),
        type("Byte", v -> (byte) v.anInt()),
        type("Short", v -> (short) v.anInt()),
        type("Character", v -> (char) v.anInt()),
        type("Integer", Values::anInt),
        type("Long", Values::aLong),
        type("Float", v -> (float) v.aDouble()),
        type("Double", Values::aDouble),
        type("String", Values::text),
        type("enum", v -> v.one(Colour.values())),
        type("boolean[]", v -> new boolean[] {v.random.nextBoolean(), true}),
        type("byte[]", v -> v.text().getBytes(java.nio.charset.StandardCharsets.UTF_16)),
        type("short[]", v -> new short[] {(short) v.anInt()}),
        type("char[]", v -> v.text().toCharArray()),
        type("int[]", v -> v.many(v::anInt).stream().mapToInt(i -> i).toArray()),
        type("int[][]", v -> new int[][] {{v.anInt()}, {}, null}),
        type("long[]", v -> v.many(v::aLong).stream().mapToLong(i -> i).toArray()),
        type("float[]", v -> new float[] {(float) v.aDouble()}),
        type("double[]", v -> v.many(v::aDouble).stream().mapToDouble(i -> i).toArray()),
        type("String[]", v -> new String[] {v.text(), null, v.text()}),
        type("Integer[]", v -> new Integer[] {v.anInt(), null}),
        type("Colour[]", v -> new Colour[] {Colour.AMBER, null, Colour.RED}),
        type("Object[]", v -> v.many(v::leaf).toArray()),
        type("ArrayList", v -> v.into(new ArrayList<>(), true)),
        type("LinkedList", v -> v.into(new LinkedList<>(), true)),
        type("ArrayDeque", v -> v.into(new ArrayDeque<>(), false)),
        type("HashSet", v -> v.into(new HashSet<>(Collections.singleton(null)), false)),
        type("LinkedHashSet", v -> v.into(new LinkedHashSet<>(), false)),
        type("TreeSet", v -> new TreeSet<>(v.many(v::text))),
        type("HashMap", v -> v.entries(new HashMap<>(Collections.singletonMap(null, null)), true)),
        type("LinkedHashMap", v -> v.entries(new LinkedHashMap<>(), true)),
        type("TreeMap", v -> v.sorted(null)),
        type(
            "TreeMap with an order",
            v ->
                v.sorted(
                    (Comparator<Object>)
                        (Comparator<?>)
                            v.<Comparator<String>>one(
                                Comparator.naturalOrder(),
                                Comparator.reverseOrder(),
                                String.CASE_INSENSITIVE_ORDER))),
        type("Arrays.asList", v -> Arrays.asList(v.many(v::leaf).toArray())),
        type("List.of", v -> List.of(v.many(v::key).toArray())),
        type("Stream.toList", v -> v.many(v::leaf).stream().toList()),
        type(
            "a part of List.of",
            v -> List.of(v.key(), v.key(), v.key()).subList(v.one(0, 1), v.one(1, 2, 3))),
        type(
            "a part of Stream.toList",
            v -> Stream.of(v.key(), null, v.key()).toList().subList(0, v.one(1, 2))),
        type("Set.of", v -> Set.copyOf(v.many(v::key))),
        type("Map.of", v -> Map.copyOf(v.entries(new HashMap<>(), false))),
        type("Collections.emptyList", v -> Collections.emptyList()),
        type("Collections.emptySet", v -> Collections.emptySet()),
        type("Collections.emptyMap", v -> Collections.emptyMap()),
        type("Collections.singletonList", v -> Collections.singletonList(v.leaf())),
        type("Collections.singleton", v -> Collections.singleton(v.one(v.key(), null))),
        type("Collections.singletonMap", v -> Collections.singletonMap(v.key(), v.leaf())),
        type("EnumSet", Values::colours),
        type("EnumSet of many", Values::manyConstants),
        type("EnumMap", Values::enumMap),
        type("Optional", v -> Optional.ofNullable(v.leaf())),
        type("BigInteger", Values::bigInteger),
        type("BigDecimal", Values::bigDecimal),
        type("UUID", v -> new UUID(v.aLong(), v.aLong())),
        type(
            "Duration",
            v -> v.one(Duration.ofSeconds(v.aLong(), v.random.nextInt(1 << 29)), Duration.ZERO)),
        type("Instant", Values::instant),
        type("LocalDate", Values::date),
        type("LocalTime", Values::time),
        type(
            "LocalDateTime",
            v -> v.one(LocalDateTime.MIN, LocalDateTime.MAX, LocalDateTime.of(v.date(), v.time()))),
        type(
            "OffsetDateTime",
            v ->
                v.one(
                    OffsetDateTime.MIN,
                    OffsetDateTime.MAX,
                    OffsetDateTime.of(v.date(), v.time(), v.offset()))),
        type("OffsetTime", v -> OffsetTime.of(v.time(), v.offset())),
        type("ZonedDateTime", Values::zoned),
        type("ZoneOffset", Values::offset),
        type("ZoneId", Values::zone),
        type("Period", v -> Period.of(v.anInt(), v.anInt(), v.anInt())),
        type("YearMonth", v -> YearMonth.from(v.date())),
        type("Comparator.reverseOrder", v -> Comparator.<String>reverseOrder()));
  }

  @ParameterizedTest
  @MethodSource("types")
  void valuesComeBackEqualWhereverTheyStand(Type type) {
    Values values = new Values(Seed.random("KeepsEqualTest, " + type));
    Everything serializer = new Everything();
    for (int i = 0; i < VALUES; i++) {
      Object value = type.values().apply(values);
      if (value != null) {
        isKept(serializer, value);
      }
      isKept(serializer, new Object[] {value, value});
      isKept(
          serializer,
          new Held(value, Arrays.asList(value, 1, value), Collections.singletonMap("it", value)));
      isKept(serializer, Collections.singletonList(value));
      Fields fields = new Fields();
      fields.any = value;
      fields.again = value;
      fields.array = new Object[] {value};
      fields.optional = Optional.ofNullable(value);
      Fields read = (Fields) Encoded.copy(serializer, fields);
      assertThat(same(read.any, value)).as("field %s of %s", read.any, value).isTrue();
      assertThat(same(read.array, fields.array)).isTrue();
      assertThat(same(read.optional, fields.optional)).isTrue();
      assertThat(same(read.again, value)).isTrue();
      if (read.any instanceof Collection<?> || read.any instanceof Map<?, ?>) {
        assertThat(read.again).as("one object with two references").isSameAs(read.any);
      }
    }
  }

  private static void isKept(Everything serializer, Object value) {
    Object read = Encoded.copy(serializer, value);
    assertThat(same(read, value)).as("%s%n became%n%s", value, read).isTrue();
  }

  /** Equality that looks into arrays, queues and records of them. */
  private static boolean same(@Nullable Object a, @Nullable Object b) {
    if (a == null || b == null) {
      return a == b;
    }
    return switch (b) {
      case Object[] array ->
          a.getClass() == b.getClass()
              && sameInOrder(
                  List.of(a).isEmpty() ? List.of() : Arrays.asList((Object[]) a),
                  Arrays.asList(array));
      case Held held ->
          a instanceof Held other
              && same(other.any, held.any)
              && same(other.list, held.list)
              && same(other.map, held.map);
      case Optional<?> optional ->
          a instanceof Optional<?> other && same(other.orElse(null), optional.orElse(null));
      case List<?> list -> a instanceof List<?> other && sameInOrder(other, list);
      case ArrayDeque<?> queue -> a instanceof ArrayDeque<?> other && sameInOrder(other, queue);
      case Map<?, ?> map ->
          a instanceof Map<?, ?> other
              && other.keySet().equals(map.keySet())
              && map.keySet().stream().allMatch(key -> same(other.get(key), map.get(key)));
      default -> Objects.deepEquals(a, b);
    };
  }

  private static boolean sameInOrder(Collection<?> a, Collection<?> b) {
    List<?> first = new ArrayList<>(a);
    List<?> second = new ArrayList<>(b);
    return first.size() == second.size()
        && java.util.stream.IntStream.range(0, first.size())
            .allMatch(i -> same(first.get(i), second.get(i)));
  }

  /** The constant itself comes back: a map still sorts, and an empty one takes keys. */
  @Test
  void ordersAndKeysOfEmptyContainersAreKept() {
    Everything serializer = new Everything();
    TreeSet<String> down = new TreeSet<>(Comparator.reverseOrder());
    down.addAll(List.of("a", "b"));
    assertThat(new ArrayList<Object>((TreeSet<?>) Encoded.copy(serializer, down)))
        .containsExactly("b", "a");
    @SuppressWarnings("unchecked")
    EnumMap<Colour, Object> map =
        (EnumMap<Colour, Object>) Encoded.copy(serializer, new EnumMap<>(Colour.class));
    map.put(Colour.AMBER, 1);
    assertThat(map).containsOnlyKeys(Colour.AMBER);
  }

  static Stream<Object> views() {
    List<Integer> list = new ArrayList<>(List.of(1, 2, 3));
    Map<Integer, Integer> map = new TreeMap<>(Map.of(1, 2, 3, 4));
    return Stream.of(
        list.subList(0, 2),
        list.reversed(),
        Collections.unmodifiableList(list),
        Collections.synchronizedList(list),
        Collections.nCopies(3, 1),
        map.keySet(),
        map.values(),
        map.entrySet(),
        ((TreeMap<Integer, Integer>) map).headMap(3),
        Collections.unmodifiableMap(map),
        Collections.unmodifiableSet(new HashSet<>(list)),
        new ArrayList<>(List.of(1)) {},
        fromMap(1));
  }

  private static Set<Integer> fromMap(int element) {
    Set<Integer> set = Collections.newSetFromMap(new HashMap<>());
    set.add(element);
    return set;
  }

  /** The cure is applied as it is told. */
  @ParameterizedTest
  @MethodSource("views")
  void viewsAreRefusedByNameWithACureThatCures(Object view) {
    Everything serializer = new Everything();
    assertThatThrownBy(() -> Encoded.write(serializer, view))
        .isInstanceOf(WireException.class)
        .hasMessageContaining(view.getClass().getName() + " is not registered with Everything")
        .hasMessageFindingMatch(
            "Copy it: new (ArrayList|LinkedHashSet|LinkedHashMap)<>\\(value\\)");
    Object copy =
        switch (view) {
          case Map<?, ?> map -> new LinkedHashMap<>(map);
          case Set<?> set -> new LinkedHashSet<>(set);
          default -> new ArrayList<>((Collection<?>) view);
        };
    boolean ofEntries = copy instanceof Set<?> set && set.iterator().next() instanceof Map.Entry;
    if (!ofEntries) {
      assertThat(Encoded.copy(serializer, copy)).isEqualTo(copy);
    }
  }

  static Stream<Arguments> withoutName() {
    Runnable lambda = () -> {};
    Object anonymous = new Object() {};
    return Stream.of(
        Arguments.of(lambda, "It is a lambda"),
        Arguments.of(anonymous, "Give the class a name"),
        Arguments.of(Path.of("a"), "It is internal to the JDK"));
  }

  @ParameterizedTest
  @MethodSource("withoutName")
  void whatCannotBeListedIsRefusedWithAnotherCure(Object value, String cure) {
    Everything serializer = new Everything();
    assertThatThrownBy(() -> Encoded.write(serializer, value))
        .isInstanceOf(WireException.class)
        .hasMessageContaining(value.getClass().getName() + " is not registered with Everything")
        .hasMessageContaining(cure)
        .hasMessageNotContaining("list of classes");
  }

  /** Enums of two types of keys, in places that declare one of them. */
  static final class Declares {
    Set<Colour> colours = Set.of();
    Map<Colour, Integer> counts = Map.of();
  }

  @Test
  void enumsOfAnotherTypeThanDeclaredAreRefused() {
    var serializer = new KryoSerializerTest.Anything(Declares.class, Colour.class, Many.class);
    Declares good = new Declares();
    good.colours = EnumSet.of(Colour.AMBER);
    good.counts = new EnumMap<>(Map.of(Colour.GREEN, 3));
    Declares read = (Declares) Encoded.copy(serializer, good);
    assertThat(read.colours).isEqualTo(good.colours);
    assertThat(read.counts).isEqualTo(good.counts);
    Declares bad = new Declares();
    bad.colours = raw(EnumSet.of(Many.A0));
    byte[] bytes = Encoded.write(serializer, bad);
    assertThatThrownBy(() -> Encoded.read(serializer, bytes))
        .isInstanceOf(WireException.class)
        .hasMessageContaining("Colour was expected, but a " + Many.class.getName() + " came");
  }

  @SuppressWarnings("unchecked") // as a peer may send it
  private static Set<Colour> raw(Object set) {
    return (Set<Colour>) set;
  }
}
