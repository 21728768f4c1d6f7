package io.verbena.testkit.codegen;

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

/** A contract that reaches every type there is. */
@RpcService(name = "everything.v1", serializers = Everything.MoneySerializer.class)
public interface Everything extends Inherited<Everything.Point> {

  @RpcMethod(id = 1)
  Numbers numbers(
      boolean a, byte b, short c, char d, int e, long f, float g, double h, Numbers boxed);

  /**
   * Returns the times it is given.
   *
   * @param times any times
   */
  @RpcMethod(id = 2, idempotent = true, timeout = "250ms")
  Times times(Times times);

  @RpcMethod(id = 3)
  Payload payload(byte[] bytes, ByteBuffer buffer, MemorySegment segment, Payload payload);

  @RpcMethod(id = 4)
  Containers containers(Containers containers);

  @RpcMethod(id = 5)
  Shape shape(Shape shape) throws NoSuchShape, NoSuchThing, TooLate;

  @RpcMethod(id = 6)
  Tree<String> tree(Tree<String> tree);

  @RpcMethod(id = 7)
  Page<Point> page(Page<@Nullable Point> page, Result<Integer> result);

  @RpcMethod(id = 8)
  Account account(Account account);

  @RpcMethod(id = 9)
  @Nullable String nullable(@Nullable String text, @Nullable Integer number, @Nullable Point point);

  @RpcMethod(id = 10)
  Money money(Money money, List<Money> more);

  @RpcMethod(id = 11, oneway = true)
  void audit(String in, int out, long call, String reply);

  @RpcMethod(id = 12, nonBlocking = true)
  long count();

  @RpcMethod(id = 13)
  void nothing();

  @RpcMethod(id = 14)
  int[][] arrays(String[] names, List<String>[] lists, Color... colors);

  @RpcMethod(id = 15)
  int count(String what);

  default String greeting() {
    return "not called remotely";
  }

  record Numbers(Boolean a, Byte b, Short c, Character d, Integer e, Long f, Float g, Double h) {}

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
      DayOfWeek day,
      UUID uuid,
      BigDecimal decimal,
      BigInteger integer) {}

  @SuppressWarnings("ArrayRecordComponent") // arrays are some of the types
  record Payload(byte[] bytes, ByteBuffer buffer, MemorySegment segment) {}

  @SuppressWarnings("ArrayRecordComponent") // arrays are some of the types
  record Containers(
      List<String> list,
      Set<Long> set,
      Collection<Color> collection,
      Map<String, List<Point>> map,
      Optional<Point> some,
      Optional<List<Integer>> none,
      OptionalInt optionalInt,
      OptionalLong optionalLong,
      OptionalDouble optionalDouble,
      List<@Nullable String> holes,
      Map<Point, @Nullable Color> byPoint,
      double @Nullable [] doubles,
      @Nullable List<Map<Color, Set<String>>> deep) {}

  enum Color {
    RED,
    GREEN,
    BLUE {
      @Override
      public String toString() {
        return "bleu";
      }
    }
  }

  record Point(int x, int y) {}

  record Page<T extends @Nullable Object>(List<T> items, @Nullable Page<T> next) {}

  record Tree<T>(T value, List<Tree<T>> children) {}

  sealed interface Shape permits Circle, Polygon, Unit {}

  @RpcType(id = 1)
  record Circle(Point center, double radius) implements Shape {}

  @RpcType(id = 4)
  sealed interface Polygon extends Shape permits Square, Free {}

  @RpcType(id = 1)
  record Square(double side) implements Polygon {}

  @RpcType(id = 2)
  record Free(List<Point> corners, Optional<Shape> inner) implements Polygon {}

  @RpcType(id = 3)
  enum Unit implements Shape {
    SQUARE,
    CIRCLE
  }

  sealed interface Result<T> permits Ok, Failed {}

  @RpcType(id = 1)
  record Ok<T>(T value) implements Result<T> {}

  @RpcType(id = 2)
  record Failed<T>(String why) implements Result<T> {}

  /** Has getters and setters, some inherited. */
  class Account extends Named {
    private long balance;
    private boolean open;
    private @Nullable List<String> notes;
    private transient int cached;

    public long getBalance() {
      return balance;
    }

    public void setBalance(long balance) {
      this.balance = balance;
    }

    public boolean isOpen() {
      return open;
    }

    public void setOpen(boolean open) {
      this.open = open;
    }

    public @Nullable List<String> notes() {
      return notes;
    }

    public Account notes(@Nullable List<String> notes) {
      this.notes = notes;
      this.cached++;
      return this;
    }

    public int changes() {
      return cached;
    }
  }

  /** A superclass. */
  abstract class Named {
    private String name = "";

    public String getName() {
      return name;
    }

    public void setName(String name) {
      if (name.isEmpty()) {
        throw new IllegalArgumentException("an account has a name");
      }
      this.name = name;
    }
  }

  /** Not made for the wire. */
  final class Money {
    private final long cents;

    private Money(long cents) {
      this.cents = cents;
    }

    public static Money ofCents(long cents) {
      return new Money(cents);
    }

    public long cents() {
      return cents;
    }
  }

  /** Writes money. */
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
      long cents = in.readVarLong();
      if (cents < 0) {
        throw new IllegalArgumentException("no debts");
      }
      return Money.ofCents(cents);
    }
  }

  /** An exception with a message alone. */
  class NoSuchThing extends Exception {
    private static final long serialVersionUID = 1L;

    public NoSuchThing(@Nullable String message) {
      super(message);
    }
  }

  /** An exception with a value, which extends another declared one. */
  class NoSuchShape extends NoSuchThing {
    private static final long serialVersionUID = 1L;
    private final transient Shape wanted;

    public NoSuchShape(String message, Shape wanted) {
      super(message);
      this.wanted = wanted;
    }

    public Shape getWanted() {
      return wanted;
    }
  }

  /** An unchecked exception. */
  class TooLate extends IllegalStateException {
    private static final long serialVersionUID = 1L;
    private final Instant when;

    public TooLate(Instant when) {
      super("since " + when);
      this.when = when;
    }

    public Instant when() {
      return when;
    }
  }
}
