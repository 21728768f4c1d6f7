package io.verbena.codec.kryo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.esotericsoftware.kryo.kryo5.Kryo;
import com.esotericsoftware.kryo.kryo5.Serializer;
import com.esotericsoftware.kryo.kryo5.io.Input;
import com.esotericsoftware.kryo.kryo5.io.Output;
import com.esotericsoftware.kryo.kryo5.objenesis.strategy.StdInstantiatorStrategy;
import com.esotericsoftware.kryo.kryo5.serializers.CollectionSerializer;
import com.esotericsoftware.kryo.kryo5.serializers.JavaSerializer;
import com.esotericsoftware.kryo.kryo5.util.DefaultInstantiatorStrategy;
import io.verbena.api.wire.WireException;
import io.verbena.codec.kryo.Drawing.Circle;
import io.verbena.codec.kryo.Drawing.Group;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.zip.CRC32;
import org.apache.commons.math3.geometry.euclidean.twod.Vector2D;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class KryoSerializerTest {
  private final DrawingSerializer drawings = new DrawingSerializer();
  private final Anything anything = new Anything();

  /** A serializer of what the JDK has. */
  static final class Anything extends KryoSerializer<Object> {
    private final Consumer<Kryo> settings;

    Anything(Class<?>... classes) {
      this(kryo -> {}, classes);
    }

    /** With settings of its own. */
    Anything(Consumer<Kryo> settings, Class<?>... classes) {
      super(3, Object.class, classes);
      this.settings = settings;
    }

    @Override
    protected void configure(Kryo kryo) {
      settings.accept(kryo);
    }
  }

  @Nested
  class Keeps {
    @Test
    void cyclesAndWhatIsSharedAndAnOpenHierarchy() {
      Drawing read = Encoded.copy(drawings, Drawing.sample());
      Group outer = (Group) read.shapes.getFirst();
      Circle circle = (Circle) read.shapes.getLast();
      assertThat(((Group) outer.members[0]).parent).isSameAs(outer);
      assertThat(outer.members[1]).isSameAs(circle);
      assertThat(read.named).containsExactly(Map.entry("the circle", circle));
      assertThat(read).usingRecursiveComparison().isEqualTo(Drawing.sample());
    }

    @Test
    void theJdksCollectionsAndValuesWithoutRegistration() {
      List<Object> all =
          List.of(
              List.of(),
              List.of(1),
              List.of(1, 2, 3),
              List.of(1, 2, 3).subList(1, 3),
              Set.of(7L),
              Map.of("key", 'c', "other", true),
              Map.of(),
              Arrays.asList(1, null, "x"),
              Collections.emptyMap(),
              new ArrayList<>(Collections.nCopies(1000, null)),
              Optional.of(UUID.randomUUID()),
              java.time.Instant.EPOCH,
              new java.math.BigDecimal("12.50"));
      assertThat(Encoded.copy(anything, all)).isEqualTo(all);
      long[][] matrix = {{1, 2}, {}};
      assertThat(Encoded.copy(new Anything(long[][].class), matrix)).isEqualTo(matrix);
    }
  }

  /** Foreign classes, whose makers did not think of Kryo. */
  static final class Line {
    final Vector2D from;
    final int width;

    Line(Vector2D from, int width) {
      this.from = from;
      this.width = width;
    }
  }

  static final class Bag extends ArrayList<Object> {
    private static final long serialVersionUID = 1L;

    Bag(int size) {
      super(size);
    }
  }

  @Nested
  class MakesClassesWithoutAConstructorWithoutParameters {
    @Test
    void byTheInstantiatorThatThePageNames() {
      Line read = Encoded.copy(new LineSerializer(), new Line(new Vector2D(1.5, -2), 7));
      assertThat(read.from).isEqualTo(new Vector2D(1.5, -2));
      assertThat(read.width).isEqualTo(7);
    }

    @Test
    void classesThatHideTheirFieldsByTheCureThatTheMessageNames() {
      Anything own = new Anything(kryo -> kryo.register(CRC32.class, new CrcSerializer()));
      assertThat(Encoded.copy(own, new CRC32())).isInstanceOf(CRC32.class);
    }

    @Test
    void containersBySerializersWithAMethodThatMakesThem() {
      Anything own = new Anything(kryo -> kryo.register(Bag.class, new BagSerializer()), Bag.class);
      Bag bag = new Bag(1);
      bag.add("x");
      assertThat(Encoded.copy(own, bag)).isEqualTo(bag).isInstanceOf(Bag.class);
      Anything unmade =
          new Anything(
              kryo ->
                  kryo.setInstantiatorStrategy(
                      new DefaultInstantiatorStrategy(new StdInstantiatorStrategy())),
              Bag.class);
      assertThatThrownBy(unmade::layout)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining(
              "kryo.register(Bag.class, a CollectionSerializer of Kryo's with a method create(...)");
    }

    @Test
    void byAnInstantiatorOrASerializerOfTheirOwn() {
      Anything own =
          new Anything(
              kryo -> {
                kryo.getRegistration(Line.class).setInstantiator(() -> new Line(Vector2D.ZERO, 0));
                kryo.register(Bag.class, new BagSerializer());
              },
              Line.class,
              Bag.class);
      assertThat(own.layout()).isNotEmpty();
    }
  }

  private static final class CrcSerializer extends Serializer<CRC32> {
    @Override
    public void write(Kryo kryo, Output output, CRC32 crc) {}

    @Override
    public CRC32 read(Kryo kryo, Input input, Class<? extends CRC32> type) {
      return new CRC32();
    }
  }

  private static final class BagSerializer extends CollectionSerializer<Bag> {
    @Override
    protected Bag create(Kryo kryo, Input input, Class<? extends Bag> type, int size) {
      return new Bag(size);
    }
  }

  @Nested
  class Refuses {
    @Test
    void aClassThatIsNotRegistered() {
      Drawing drawing = new Drawing();
      drawing.shapes.add(new Drawing.Stranger());
      assertThatThrownBy(() -> Encoded.write(drawings, drawing))
          .isInstanceOf(WireException.class)
          .hasMessageStartingWith("Drawing cannot be written: ")
          .hasMessageContaining(
              "Drawing$Stranger is not registered with DrawingSerializer. Add it to the end of its"
                  + " list of classes, at both ends")
          .hasMessageContaining("at shapes (io.verbena.codec.kryo.Drawing)");
    }

    @Test
    void aDepthThatThePeersStackMightNotHold() {
      Object deep = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        deep = new ArrayList<>(List.of(deep));
      }
      Object tooDeep = deep;
      assertThatThrownBy(() -> Encoded.write(anything, tooDeep))
          .isInstanceOf(WireException.class)
          .hasMessageContaining("kryo.setMaxDepth");
      Anything deeper = new Anything(kryo -> kryo.setMaxDepth(400));
      byte[] bytes = Encoded.write(deeper, tooDeep);
      assertThat(Encoded.read(deeper, bytes)).isEqualTo(tooDeep);
      assertThatThrownBy(() -> Encoded.read(anything, bytes))
          .isInstanceOf(WireException.class)
          .hasMessageContaining("Max depth exceeded: 256");
    }

    @Test
    void aDepthThatThisThreadsStackDoesNotHold() {
      Anything endless = new Anything(kryo -> kryo.setMaxDepth(Integer.MAX_VALUE));
      Object deep = new ArrayList<>();
      for (int i = 0; i < 200_000; i++) {
        deep = new ArrayList<>(Arrays.asList(deep));
      }
      Object tooDeep = deep;
      assertThatThrownBy(() -> Encoded.write(endless, tooDeep))
          .isInstanceOf(WireException.class)
          .hasMessageContaining("too deeply");
    }

    @Test
    void aCycleThroughARecord() {
      record Box(List<Object> content) {}
      List<Object> content = new ArrayList<>();
      Box box = new Box(content);
      content.add(box);
      Anything boxes = new Anything(Box.class);
      byte[] bytes = Encoded.write(boxes, box);
      assertThatThrownBy(() -> Encoded.read(boxes, bytes))
          .isInstanceOf(WireException.class)
          .hasMessageContaining("no cycle can pass through a record");
    }

    @Test
    void anotherTypeThanItsOwn() {
      byte[] bytes = Encoded.write(anything, "text");
      assertThatThrownBy(() -> Encoded.read(drawings, bytes))
          .isInstanceOf(WireException.class)
          .hasMessageContaining("Drawing was expected, but a java.lang.String came");
    }

    @Test
    void serializersThatTrustWhatTheyRead() {
      Anything trusting =
          new Anything(kryo -> kryo.register(BitSet.class, new JavaSerializer()), BitSet.class);
      assertThatThrownBy(trusting::layout)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("JavaSerializer for java.util.BitSet");
    }

    @Test
    void toDoWithoutRegistration() {
      Anything open = new Anything(kryo -> kryo.setRegistrationRequired(false));
      assertThatThrownBy(open::layout).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aClassThatItCouldWriteAndNotMakeAgain() {
      Anything lines = new Anything(Line.class);
      assertThatThrownBy(lines::layout)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageStartingWith(Line.class.getName() + " has no constructor without parameters")
          .hasMessageContaining("Anything could write but not read it")
          .hasMessageContaining("Override configure: kryo.setInstantiatorStrategy(");
      assertThatThrownBy(() -> new Anything(Bag.class).layout())
          .hasMessageStartingWith(Bag.class.getName() + " has no constructor without parameters");
    }

    @Test
    void classesThatHideTheirFieldsAndListsThatNameOneTwice() {
      assertThatThrownBy(() -> new Anything(java.util.Random.class).layout())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("java.util.Random hides its fields")
          .hasMessageContaining(
              "Leave it out of the list of Anything, and register a serializer of your own for it"
                  + " in configure: kryo.register(Random.class, new RandomSerializer())");
      assertThatThrownBy(() -> new Anything(Circle.class, Circle.class))
          .hasMessageContaining("listed twice");
    }
  }

  @Nested
  class Layouts {
    @Test
    void tellAllThatDecidesHowBytesAreRead() {
      assertThat(drawings.layout())
          .contains(
              "references on, generics on",
              "65 final io.verbena.codec.kryo.Drawing$Circle: centre"
                  + " io.verbena.codec.kryo.Drawing$Point; colour"
                  + " io.verbena.codec.kryo.Drawing$Colour; radius double not null",
              "67 final io.verbena.codec.kryo.Drawing$Point: x int; y int")
          .anyMatch(line -> line.startsWith("68 ") && line.endsWith(": RED; GREEN"));
      assertThat(drawings.layout()).isEqualTo(new DrawingSerializer().layout());
    }

    @Test
    void areTheSameWhereNumbersHaveOtherDigits() {
      Locale here = Locale.getDefault(Locale.Category.FORMAT);
      Locale.setDefault(Locale.Category.FORMAT, Locale.of("ar", "EG"));
      try {
        assertThat(drawings.layout()).anyMatch(line -> line.startsWith("68 "));
      } finally {
        Locale.setDefault(Locale.Category.FORMAT, here);
      }
    }
  }

  @Nested
  class Pools {
    @Test
    void keepAnInstanceForTheNextValueAndDropOneThatThrew() {
      byte[] good = Encoded.write(drawings, Drawing.sample());
      assertThat(drawings.kept()).isEqualTo(1);
      Encoded.read(drawings, good);
      assertThat(drawings.kept()).isEqualTo(1);
      assertThatThrownBy(() -> Encoded.read(drawings, new byte[] {99}))
          .isInstanceOf(WireException.class);
      assertThat(drawings.kept()).isZero();
      Encoded.read(drawings, good);
      assertThat(drawings.kept()).isEqualTo(1);
    }

    @Test
    void keepNoMoreThanTwoForEachProcessorHoweverManyThreadsThereAre() throws Exception {
      int threads = 4 * Runtime.getRuntime().availableProcessors() + 16;
      CountDownLatch all = new CountDownLatch(threads);
      Anything waiting =
          new Anything(
              kryo -> kryo.register(Meeting.class, new Meeting.Waiting(all)), Meeting.class);
      try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
        List<Future<byte[]>> written = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
          written.add(executor.submit(() -> Encoded.write(waiting, new Meeting())));
        }
        for (Future<byte[]> one : written) {
          assertThat(one.get()).isNotEmpty();
        }
      }
      assertThat(waiting.kept()).isEqualTo(2 * Runtime.getRuntime().availableProcessors());
    }
  }
}
