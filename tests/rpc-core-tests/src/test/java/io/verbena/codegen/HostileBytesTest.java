package io.verbena.codegen;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.verbena.api.wire.WireException;
import io.verbena.testkit.Seed;
import io.verbena.testkit.contract.Everything;
import io.verbena.testkit.contract.Everything.Account;
import io.verbena.testkit.contract.Everything.Money;
import io.verbena.testkit.contract.Everything.Ok;
import io.verbena.testkit.contract.Everything.Page;
import io.verbena.testkit.contract.EverythingRpc;
import io.verbena.testkit.contract.Herbarium;
import io.verbena.testkit.contract.Herbarium.Colour;
import io.verbena.testkit.contract.Herbarium.Grafted;
import io.verbena.testkit.contract.Herbarium.Leaf;
import io.verbena.testkit.contract.Herbarium.Moss;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * Generated decoders over damaged messages: a value or a WireException, and little memory. A
 * failure names the seed that repeats it.
 */
class HostileBytesTest {
  private static final int ROUNDS = 3_000;

  /** The limit of the allocations for one message of a few KiB, with exception and stack trace. */
  private static final long MAX_ALLOCATED = 4 << 20;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final long seed = Seed.number("HostileBytesTest");
  private final Random random = new Random(seed);

  interface Call {
    void on(Everything everything) throws Exception;
  }

  private static List<Call> calls() {
    Account account = new Account();
    account.setName("savings");
    account.notes(List.of("a", "b"));
    return List.of(
        e -> e.times(Samples.times()),
        e -> e.zones(Samples.zones()),
        e -> e.exact(Samples.exact()),
        e -> e.sheet(Samples.sheet()),
        e -> e.index(Samples.index()),
        e -> e.byLeaf(Samples.byLeaf()),
        e -> e.maybes(Samples.maybes()),
        e -> e.water(Samples.conifer(1)),
        e -> e.plant(new Grafted(Moss.PEAT, Optional.of(Samples.conifer(2)))),
        e -> e.taxon(Samples.taxon(20)),
        e -> e.page(new Page<>(Arrays.asList(new Leaf(1, 1), null), null), new Ok<>(5)),
        e -> e.account(account),
        e -> e.nullable("text", 7, new Leaf(1, 2)),
        e -> e.sum(Money.ofCents(7), List.of(Money.ofCents(8))),
        e -> e.arrays(new String[] {"a", "bc"}, lists(), Colour.VIOLET, Colour.WHITE),
        e -> e.inherited(new Leaf(1, 2), new Leaf(3, 4)));
  }

  @SuppressWarnings({"unchecked", "rawtypes"})
  private static List<String>[] lists() {
    return new List[] {List.of("x"), List.of()};
  }

  @Test
  void truncatedMessages() throws Exception {
    attack(bytes -> Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)));
  }

  @Test
  void flippedBits() throws Exception {
    attack(
        bytes -> {
          byte[] flipped = bytes.clone();
          for (int i = 0; i <= random.nextInt(4) && flipped.length > 0; i++) {
            flipped[random.nextInt(flipped.length)] ^= (byte) (1 << random.nextInt(8));
          }
          return flipped;
        });
  }

  @Test
  void lengthsThatLie() throws Exception {
    byte[][] lies = {
      {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x07},
      {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x0f},
      {(byte) 0xff, (byte) 0x7f},
      {0x7f}
    };
    attack(
        bytes -> {
          byte[] lying = bytes.clone();
          byte[] lie = lies[random.nextInt(lies.length)];
          int at = random.nextInt(lying.length + 1);
          System.arraycopy(lie, 0, lying, at, Math.min(lie.length, lying.length - at));
          return lying;
        });
  }

  @Test
  void randomBytes() throws Exception {
    attack(
        bytes -> {
          byte[] noise = new byte[random.nextInt(2000)];
          random.nextBytes(noise);
          return noise;
        });
  }

  @Test
  void manySmallNumbers() throws Exception {
    attack(
        bytes -> {
          byte[] small = new byte[2000];
          for (int i = 0; i < small.length; i++) {
            small[i] = (byte) random.nextInt(4);
          }
          return small;
        });
  }

  @Test
  void deepNesting() throws Exception {
    attack(
        bytes -> {
          byte[] deep = new byte[4000];
          Arrays.fill(deep, (byte) (1 + random.nextInt(127)));
          return deep;
        });
  }

  private void attack(UnaryOperator<byte[]> damage) throws Exception {
    UnaryOperator<byte[]> none = UnaryOperator.identity();
    List<Everything> victims = new ArrayList<>();
    victims.add(client(new Wired(EverythingRpc.bind(new Echo())).tamper(damage, none)));
    victims.add(client(new Wired(EverythingRpc.bind(new Echo())).tamper(none, damage)));
    List<Call> calls = calls();
    calls.getFirst().on(client(new Wired(EverythingRpc.bind(new Echo())))); // loads classes
    for (int round = 0; round < ROUNDS; round++) {
      Call call = calls.get(random.nextInt(calls.size()));
      long before = threads.getCurrentThreadAllocatedBytes();
      attempt(call, victims.get(random.nextInt(victims.size())), round);
      long allocated = threads.getCurrentThreadAllocatedBytes() - before;
      assertThat(allocated).as("seed %d round %d", seed, round).isLessThan(MAX_ALLOCATED);
    }
  }

  private static Everything client(Wired wired) {
    return EverythingRpc.SERVICE.client().apply(wired);
  }

  private void attempt(Call call, Everything victim, int round) {
    try {
      call.on(victim);
    } catch (WireException refused) {
      assertThat(refused.getMessage()).as("seed %d round %d", seed, round).isNotEmpty();
    } catch (Herbarium.Unknown | Everything.TooLate declared) {
      // A flipped bit may well ask for a tree of no height.
    } catch (Throwable other) {
      throw new AssertionError("seed " + seed + " round " + round, other);
    }
  }
}
