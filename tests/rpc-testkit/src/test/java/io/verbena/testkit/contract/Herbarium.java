package io.verbena.testkit.contract;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.RpcType;
import io.verbena.api.wire.Serializer;
import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A contract of every kind of type. Each method returns what it is given. */
@RpcService(name = "herbarium.v1", serializers = Herbarium.LatinSerializer.class)
public interface Herbarium {
  @RpcMethod(id = 1)
  Numbers numbers(Numbers value);

  @RpcMethod(id = 2)
  Times times(Times value);

  @RpcMethod(id = 3)
  Exact exact(Exact value);

  @RpcMethod(id = 4)
  Sheet sheet(Sheet value);

  @RpcMethod(id = 5)
  Plant plant(Plant value) throws Wilted, Unknown;

  @RpcMethod(id = 6)
  Taxon<String> taxon(Taxon<String> value);

  @RpcMethod(id = 7)
  Label label(Label value);

  @RpcMethod(id = 8)
  Map<String, List<@Nullable Leaf>> index(Map<String, List<@Nullable Leaf>> value);

  @RpcMethod(id = 9)
  byte[] scan(byte[] value);

  @RpcMethod(id = 10)
  @Nullable String name(@Nullable String value);

  @RpcMethod(id = 11)
  int[][] grid(int[][] value);

  @RpcMethod(id = 12, oneway = true)
  void note(String text, Optional<Colour> colour);

  /** Every primitive and every box. */
  record Numbers(
      boolean a,
      byte b,
      short c,
      char d,
      int e,
      long f,
      float g,
      double h,
      Boolean boxedA,
      Byte boxedB,
      Short boxedC,
      Character boxedD,
      Integer boxedE,
      Long boxedF,
      Float boxedG,
      Double boxedH) {}

  /** The entries of the calendar. */
  record Times(
      Instant instant,
      Duration duration,
      Period period,
      LocalDate date,
      LocalTime time,
      LocalDateTime dateTime,
      ZoneOffset offset,
      OffsetDateTime offsetDateTime,
      OffsetTime offsetTime,
      Year year,
      YearMonth yearMonth,
      MonthDay monthDay,
      DayOfWeek day) {}

  /** Values of more than a word. */
  record Exact(UUID uuid, BigDecimal decimal, BigInteger integer) {}

  /** Every container. */
  @SuppressWarnings("ArrayRecordComponent") // arrays are some of the types
  record Sheet(
      List<String> list,
      Set<Long> set,
      Collection<Colour> collection,
      Map<Integer, Leaf> map,
      Optional<Leaf> optional,
      OptionalInt optionalInt,
      OptionalLong optionalLong,
      OptionalDouble optionalDouble,
      List<@Nullable String> holes,
      double @Nullable [] widths,
      byte[] bytes,
      ByteBuffer buffer,
      Latin latin,
      @Nullable List<Map<Colour, Set<String>>> deep) {}

  /** Constants are told by their place. */
  enum Colour {
    WHITE,
    RED,
    VIOLET
  }

  /** A small record. */
  record Leaf(int width, int length) {}

  /** A recursive, generic record. */
  record Taxon<T>(T name, List<Taxon<T>> below) {}

  /** A sealed hierarchy with another in it. */
  sealed interface Plant permits Herb, Tree, Moss {}

  @RpcType(id = 1)
  record Herb(String name, Leaf leaf, Colour colour) implements Plant {}

  @RpcType(id = 4)
  sealed interface Tree extends Plant permits Conifer, Grafted {}

  @RpcType(id = 1)
  record Conifer(double height) implements Tree {}

  @RpcType(id = 2)
  record Grafted(Plant root, Optional<Plant> top) implements Tree {}

  @RpcType(id = 3)
  enum Moss implements Plant {
    PEAT,
    CUSHION
  }

  /** A class with getters and setters. */
  class Label {
    private String text = "";
    private long number;
    private boolean faded;
    private @Nullable List<String> remarks;

    public String getText() {
      return text;
    }

    public void setText(String text) {
      this.text = text;
    }

    public long getNumber() {
      return number;
    }

    public void setNumber(long number) {
      this.number = number;
    }

    public boolean isFaded() {
      return faded;
    }

    public void setFaded(boolean faded) {
      this.faded = faded;
    }

    public @Nullable List<String> getRemarks() {
      return remarks;
    }

    public void setRemarks(@Nullable List<String> remarks) {
      this.remarks = remarks;
    }
  }

  /** A name that refuses to be empty, and has a serializer of its own. */
  final class Latin {
    private final String text;

    public Latin(String text) {
      if (text.isEmpty()) {
        throw new IllegalArgumentException("a plant has a name");
      }
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  /** Writes a {@link Latin}. */
  final class LatinSerializer implements Serializer<Latin> {
    @Override
    public int classId() {
      return 7;
    }

    @Override
    public void write(WireOut out, Latin value) {
      out.writeString(value.text());
    }

    @Override
    public Latin read(WireIn in) {
      String text = in.readString();
      if (text.startsWith("?")) {
        throw new WireException("not a name: " + text);
      }
      return new Latin(text);
    }
  }

  /** A declared exception with a message alone. */
  class Unknown extends Exception {
    private static final long serialVersionUID = 1L;

    public Unknown(@Nullable String message) {
      super(message);
    }
  }

  /** A declared exception with a value. */
  class Wilted extends Exception {
    private static final long serialVersionUID = 1L;
    private final transient Plant plant;

    public Wilted(String message, Plant plant) {
      super(message);
      this.plant = plant;
    }

    public Plant getPlant() {
      return plant;
    }
  }
}
