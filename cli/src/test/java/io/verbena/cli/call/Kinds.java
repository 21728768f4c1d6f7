package io.verbena.cli.call;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.RpcType;
import io.verbena.api.wire.Serializer;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import java.lang.foreign.MemorySegment;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
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
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
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

/** A contract that reaches every kind of type, and whose methods return what they are given. */
@RpcService(name = "kinds.v1", serializers = Kinds.MoneySerializer.class)
public interface Kinds {
  @RpcMethod(id = 1)
  Numbers numbers(Numbers value);

  @RpcMethod(id = 2)
  Times times(Times value);

  @RpcMethod(id = 3)
  Payload payload(Payload value);

  @RpcMethod(id = 4)
  Containers containers(Containers value);

  @RpcMethod(id = 5)
  Shape shape(Shape value);

  @RpcMethod(id = 6)
  Tree tree(Tree value);

  @RpcMethod(id = 7)
  @Nullable Money money(@Nullable Money value);

  @RpcMethod(id = 8)
  Account account(Account value);

  @RpcMethod(id = 9)
  Result<Integer> result(Result<Integer> value);

  @RpcMethod(id = 10)
  byte[] bytes(byte[] value);

  @RpcMethod(id = 11)
  Map<Point, Color> byPoint(Map<Point, Color> value);

  @RpcMethod(id = 12)
  Maybes maybes(Maybes value);

  record Numbers(
      boolean flag,
      byte one,
      short two,
      char letter,
      int four,
      Long eight,
      float single,
      double twice,
      BigInteger integer,
      BigDecimal decimal) {}

  record Times(
      Instant instant,
      Duration duration,
      Period period,
      LocalDate date,
      LocalTime time,
      LocalDateTime dateTime,
      ZoneOffset offset,
      ZoneId zone,
      OffsetDateTime offsetDateTime,
      OffsetTime offsetTime,
      ZonedDateTime zonedDateTime,
      Year year,
      YearMonth yearMonth,
      MonthDay monthDay,
      UUID uuid) {}

  @SuppressWarnings("ArrayRecordComponent") // arrays are some of the types
  record Payload(byte[] bytes, ByteBuffer buffer, MemorySegment segment) {}

  @SuppressWarnings("ArrayRecordComponent") // arrays are some of the types
  record Containers(
      List<String> list,
      Set<Long> set,
      Collection<Color> collection,
      Map<String, List<Point>> byName,
      Map<Integer, Color> byNumber,
      Map<Color, Point> byColor,
      int[][] grid,
      List<@Nullable String> holes) {}

  record Maybes(
      Optional<Point> point,
      OptionalInt number,
      OptionalLong large,
      OptionalDouble broken,
      @Nullable String text) {}

  record Point(int x, int y) {}

  enum Color {
    RED,
    GREEN
  }

  sealed interface Shape permits Circle, Polygon, Unit {}

  @RpcType(id = 1)
  record Circle(Point center, double radius) implements Shape {}

  @RpcType(id = 4)
  sealed interface Polygon extends Shape permits Square {}

  @RpcType(id = 1)
  record Square(double side) implements Polygon {}

  @RpcType(id = 3)
  enum Unit implements Shape {
    SQUARE,
    CIRCLE
  }

  record Tree(String value, List<Tree> children) {}

  sealed interface Result<T> permits Ok, Failed {}

  @RpcType(id = 1)
  record Ok<T>(T value) implements Result<T> {}

  @RpcType(id = 2)
  record Failed<T>(String why) implements Result<T> {}

  /** A plain class. */
  class Account {
    private String owner = "";
    private long balance;

    public String getOwner() {
      return owner;
    }

    public void setOwner(String owner) {
      this.owner = owner;
    }

    public long getBalance() {
      return balance;
    }

    public void setBalance(long balance) {
      this.balance = balance;
    }
  }

  /** Not made for the wire. */
  record Money(long cents) {}

  /** Writes money in a way of its own. */
  final class MoneySerializer implements Serializer<Money> {
    @Override
    public int classId() {
      return 7;
    }

    @Override
    public void write(WireOut out, Money value) {
      out.writeVarLong(value.cents());
    }

    @Override
    public Money read(WireIn in) {
      return new Money(in.readVarLong());
    }
  }
}
