package io.verbena.http;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.RpcType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.Year;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Flow;

/** A contract with a type of each kind. */
@RpcService(name = "every.v1")
public interface Every {
  @RpcMethod(id = 1)
  Numbers numbers(Numbers value);

  @RpcMethod(id = 2)
  Times times(Times value);

  @RpcMethod(id = 3)
  Containers containers(Containers value);

  @RpcMethod(id = 4)
  Figure figure(Figure value);

  /** Throws one of two exceptions of one shape. */
  @RpcMethod(id = 5)
  void fail(boolean first) throws Lost, Broken;

  @RpcMethod(id = 6)
  Flow.Publisher<Numbers> stream(Numbers value, int count);

  @RpcMethod(id = 7)
  double half(double value);

  @RpcMethod(id = 8)
  byte[] bytes(byte[] value);

  @RpcMethod(id = 9)
  Like_It likeIt(LikeIt value);

  @RpcMethod(id = 10)
  Tree tree(Tree value);

  /** Numbers. */
  record Numbers(
      boolean flag,
      byte tiny,
      short small,
      int middle,
      long large,
      float single,
      double twice,
      char letter,
      BigInteger integer,
      BigDecimal decimal) {}

  /** Texts with a form. */
  record Times(
      Instant instant,
      Duration duration,
      Period period,
      LocalDate date,
      LocalTime time,
      LocalDateTime dateTime,
      OffsetDateTime offsetDateTime,
      ZoneId zone,
      Year year,
      UUID uuid) {}

  /** A value that contains others. */
  @SuppressWarnings("ArrayRecordComponent") // contracts may have them
  record Containers(
      List<String> list,
      Set<Long> set,
      Map<String, Numbers> byName,
      Map<Integer, Colour> byNumber,
      Map<Point, Colour> byPoint,
      Optional<Point> maybe,
      OptionalLong number,
      int[][] grid) {}

  /** Constants. */
  enum Colour {
    RED,
    GREEN
  }

  /** A key that is no text. */
  record Point(int x, int y) {}

  /** A sealed type. */
  sealed interface Figure permits Circle, Nothing {}

  @RpcType(id = 1)
  record Circle(Point center, double radius) implements Figure {}

  @RpcType(id = 2)
  record Nothing() implements Figure {}

  /** Contains itself. */
  record Tree(String value, List<Tree> children) {}

  /** Is called almost as the next one. */
  record LikeIt(int number) {}

  /** Generators of clients make the same class name of it as of the one before. */
  @SuppressWarnings("TypeName") // that is the point
  record Like_It(String text) {}

  /** It is lost. */
  class Lost extends Exception {
    private static final long serialVersionUID = 1L;

    public Lost(String message) {
      super(message);
    }
  }

  /** It is broken. */
  class Broken extends Exception {
    private static final long serialVersionUID = 1L;

    public Broken(String message) {
      super(message);
    }
  }
}
