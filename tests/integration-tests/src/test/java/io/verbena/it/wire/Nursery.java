package io.verbena.it.wire;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.RpcType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** The contract that a client in another language calls. */
@RpcService(name = "nursery.v1")
public interface Nursery {
  @RpcMethod(id = 1)
  Plant find(String name) throws NoSuchPlant;

  @RpcMethod(id = 2)
  Everything echo(Everything value);

  @RpcMethod(id = 3)
  List<Long> reversed(List<Long> numbers);

  /** Returns how often this number has come, itself included. */
  @RpcMethod(id = 4)
  int once(long number);

  @RpcMethod(id = 5, oneway = true)
  void note(long number);

  /** Returns how many numbers were noted, and how many of them twice. */
  @RpcMethod(id = 6)
  List<Integer> noted();

  /** Calls the caller back, and returns the sum of its answers; its refusals in words. */
  @RpcMethod(id = 7)
  List<String> askBack(List<Long> numbers);

  @RpcMethod(id = 8)
  Flow.Publisher<Long> countTo(long last);

  @RpcMethod(id = 9)
  long total(Flow.Publisher<Long> numbers);

  @RpcMethod(id = 10)
  Flow.Publisher<Long> doubled(Flow.Publisher<Long> numbers);

  /** Ends when it is interrupted. */
  @RpcMethod(id = 11)
  void sleep();

  /** Waits until so many calls of {@link #sleep} were interrupted. */
  @RpcMethod(id = 12)
  void awaitInterrupted(int calls);

  @RpcMethod(id = 13)
  byte[] blob(int length);

  @RpcMethod(id = 14)
  String described(String key);

  /** Fails behind its first items. */
  @RpcMethod(id = 15)
  Flow.Publisher<Long> broken(int good);

  /** Takes a stream of the caller's service, and returns its sum. */
  @RpcMethod(id = 16)
  long totalOfVisitor(long last);

  record Plant(
      String name,
      int heightCm,
      LocalDate since,
      List<Colour> colours,
      Pot pot,
      @Nullable String note) {}

  enum Colour {
    VIOLET,
    WHITE,
    RED
  }

  sealed interface Pot permits Clay, Bare, Size {}

  @RpcType(id = 1)
  record Clay(int litres) implements Pot {}

  @RpcType(id = 2)
  record Bare() implements Pot {}

  @RpcType(id = 3)
  enum Size implements Pot {
    SMALL,
    LARGE
  }

  /** A value of each kind. */
  @SuppressWarnings("ArrayRecordComponent") // arrays are some of the kinds
  record Everything(
      boolean flag,
      byte one,
      short two,
      char letter,
      int four,
      long eight,
      float single,
      double twice,
      String text,
      byte[] bytes,
      int[] numbers,
      Map<String, List<Colour>> byName,
      Optional<Plant> plant,
      OptionalLong maybe,
      @Nullable String nothing,
      BigInteger large,
      BigDecimal price,
      UUID id,
      Instant instant,
      ZonedDateTime zoned,
      List<Pot> pots) {}

  /** Not in this nursery. */
  class NoSuchPlant extends Exception {
    private static final long serialVersionUID = 1L;
    private final String nearest;

    public NoSuchPlant(String message, String nearest) {
      super(message);
      this.nearest = nearest;
    }

    public String getNearest() {
      return nearest;
    }
  }

  /** The contract that the caller serves. */
  @RpcService(name = "visitor.v1")
  interface Visitor {
    @RpcMethod(id = 1)
    long square(long number) throws TooLarge;

    @RpcMethod(id = 2, oneway = true)
    void told(String words);

    @RpcMethod(id = 3)
    Flow.Publisher<Long> counted(long last);
  }

  /** A number that a visitor does not take. */
  class TooLarge extends Exception {
    private static final long serialVersionUID = 1L;
    private final long most;

    public TooLarge(String message, long most) {
      super(message);
      this.most = most;
    }

    public long getMost() {
      return most;
    }
  }
}
