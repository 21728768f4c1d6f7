package io.verbena.codegen;

import io.verbena.testkit.contract.Everything;
import io.verbena.testkit.contract.HerbariumEcho;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Answers with what it was given. */
final class Echo extends HerbariumEcho implements Everything {
  final List<String> audited = new ArrayList<>();

  @Override
  public Numbers primitives(boolean a, byte b, short c, char d, int e, long f, float g, double h) {
    return new Numbers(a, b, c, d, e, f, g, h, a, b, c, d, e, f, g, h);
  }

  @Override
  public Zones zones(Zones zones) {
    return zones;
  }

  @Override
  public Payload payload(byte[] bytes, ByteBuffer buffer, MemorySegment segment, Payload payload) {
    return new Payload(bytes, payload.buffer(), segment);
  }

  @Override
  public Payload wrapped(Payload payload) {
    return payload;
  }

  @Override
  public Map<Leaf, @Nullable Colour> byLeaf(Map<Leaf, @Nullable Colour> map) {
    return map;
  }

  @Override
  public Maybes maybes(Maybes value) {
    return value;
  }

  @Override
  public Plant water(Plant plant) throws Drowned, Unknown, TooLate {
    if (plant instanceof Conifer conifer) {
      if (conifer.height() < 0) {
        throw new Drowned("a tree has a height", plant);
      }
      if (conifer.height() == 0) {
        throw new Unknown(null);
      }
      if (Double.isNaN(conifer.height())) {
        throw new TooLate(Instant.EPOCH);
      }
    }
    return plant;
  }

  @Override
  public Page<Leaf> page(Page<@Nullable Leaf> page, Result<Integer> result) {
    int offset = result instanceof Ok<Integer> ok ? ok.value() : 0;
    List<Leaf> leaves = new ArrayList<>();
    for (Leaf leaf : page.items()) {
      leaves.add(leaf == null ? new Leaf(offset, offset) : leaf);
    }
    return new Page<>(leaves, page.next() == null ? null : page(page.next(), result));
  }

  @Override
  public Result<Integer> result(Result<Integer> result) {
    return result;
  }

  @Override
  public Account account(Account account) {
    return account;
  }

  @Override
  public @Nullable String nullable(
      @Nullable String text, @Nullable Integer number, @Nullable Leaf leaf) {
    return text == null && number == null && leaf == null ? null : text + number + leaf;
  }

  @Override
  public Money sum(Money money, List<Money> more) {
    return Money.ofCents(money.cents() + more.stream().mapToLong(Money::cents).sum());
  }

  @Override
  public @Nullable Money money(@Nullable Money money) {
    return money;
  }

  @Override
  public void audit(String in, int out, long call, String reply) {
    audited.add(in + out + call + reply);
  }

  @Override
  public long count() {
    return 42;
  }

  @Override
  public void nothing() {
    audited.add("nothing");
  }

  @Override
  public int[][] arrays(String[] names, List<String>[] lists, Colour... colours) {
    return new int[][] {
      Arrays.stream(names).mapToInt(String::length).toArray(),
      Arrays.stream(lists).mapToInt(List::size).toArray(),
      Arrays.stream(colours).mapToInt(Colour::ordinal).toArray()
    };
  }

  @Override
  public int count(String what) {
    return what.length();
  }

  @Override
  public List<Leaf> inherited(Leaf first, Leaf second) {
    return List.of(first, second);
  }
}
