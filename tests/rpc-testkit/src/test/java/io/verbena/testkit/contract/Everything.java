package io.verbena.testkit.contract;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.RpcType;
import io.verbena.api.wire.Serializer;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A contract that reaches every type there is: what an herbarium has, and the rest. */
@RpcService(
    name = "everything.v1",
    serializers = {Herbarium.LatinSerializer.class, Everything.MoneySerializer.class})
public interface Everything extends Herbarium, Inherited<Herbarium.Leaf> {
  @RpcMethod(id = 13)
  Numbers primitives(boolean a, byte b, short c, char d, int e, long f, float g, double h);

  /**
   * Returns the zones it is given.
   *
   * @param zones any zones
   */
  @RpcMethod(id = 14, idempotent = true, timeout = "250ms")
  Zones zones(Zones zones);

  @RpcMethod(id = 15)
  Payload payload(byte[] bytes, ByteBuffer buffer, MemorySegment segment, Payload payload);

  @RpcMethod(id = 16)
  Payload wrapped(Payload payload);

  @RpcMethod(id = 17)
  Map<Leaf, @Nullable Colour> byLeaf(Map<Leaf, @Nullable Colour> map);

  @RpcMethod(id = 18)
  Maybes maybes(Maybes value);

  @RpcMethod(id = 19)
  Plant water(Plant plant) throws Drowned, Unknown, TooLate;

  @RpcMethod(id = 21)
  Page<Leaf> page(Page<@Nullable Leaf> page, Result<Integer> result);

  @RpcMethod(id = 22)
  Result<Integer> result(Result<Integer> result);

  @RpcMethod(id = 23)
  Account account(Account account);

  @RpcMethod(id = 24)
  @Nullable String nullable(@Nullable String text, @Nullable Integer number, @Nullable Leaf leaf);

  @RpcMethod(id = 25)
  Money sum(Money money, List<Money> more);

  @RpcMethod(id = 26)
  @Nullable Money money(@Nullable Money money);

  @RpcMethod(id = 27, oneway = true)
  void audit(String in, int out, long call, String reply);

  @RpcMethod(id = 28, nonBlocking = true)
  long count();

  @RpcMethod(id = 29)
  void nothing();

  @RpcMethod(id = 30)
  int[][] arrays(String[] names, List<String>[] lists, Colour... colours);

  @RpcMethod(id = 31)
  int count(String what);

  default String greeting() {
    return "not called remotely";
  }

  /** Times whose rules may change. */
  record Zones(ZoneId zone, ZonedDateTime dateTime) {}

  @SuppressWarnings("ArrayRecordComponent") // arrays are some of the types
  record Payload(byte[] bytes, ByteBuffer buffer, MemorySegment segment) {}

  /** What has a default where it is left out. */
  record Maybes(
      Optional<Leaf> leaf,
      Optional<List<Integer>> list,
      OptionalInt number,
      OptionalLong large,
      OptionalDouble broken,
      @Nullable String text) {}

  record Page<T extends @Nullable Object>(List<T> items, @Nullable Page<T> next) {}

  sealed interface Result<T> permits Ok, Failed {}

  @RpcType(id = 1)
  record Ok<T>(T value) implements Result<T> {}

  @RpcType(id = 2)
  record Failed<T>(String why) implements Result<T> {}

  /** Has accessors without prefixes, and some that are inherited. */
  class Account extends Named {
    private @Nullable List<String> notes;
    private transient int cached;

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
      return 8;
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

  /** An exception with a value, which extends another declared one. */
  class Drowned extends Unknown {
    private static final long serialVersionUID = 1L;
    private final transient Plant plant;

    public Drowned(String message, Plant plant) {
      super(message);
      this.plant = plant;
    }

    public Plant getPlant() {
      return plant;
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
