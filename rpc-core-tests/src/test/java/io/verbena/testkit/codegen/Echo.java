package io.verbena.testkit.codegen;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Answers with what it was given. */
final class Echo implements Everything {
  final List<String> audited = new ArrayList<>();

  @Override
  public Numbers numbers(
      boolean a, byte b, short c, char d, int e, long f, float g, double h, Numbers boxed) {
    Numbers plain = new Numbers(a, b, c, d, e, f, g, h);
    return plain.equals(boxed) ? boxed : new Numbers(false, b, c, d, e, f, g, h);
  }

  @Override
  public Times times(Times times) {
    return times;
  }

  @Override
  public Payload payload(byte[] bytes, ByteBuffer buffer, MemorySegment segment, Payload payload) {
    return new Payload(bytes, payload.buffer(), segment);
  }

  @Override
  public Containers containers(Containers containers) {
    return containers;
  }

  @Override
  public Shape shape(Shape shape) throws NoSuchShape, NoSuchThing, TooLate {
    if (shape instanceof Circle circle) {
      if (circle.radius() < 0) {
        throw new NoSuchShape("a circle has a radius", shape);
      }
      if (circle.radius() == 0) {
        throw new NoSuchThing(null);
      }
      if (Double.isNaN(circle.radius())) {
        throw new TooLate(Instant.EPOCH);
      }
    }
    return shape;
  }

  @Override
  public Tree<String> tree(Tree<String> tree) {
    return tree;
  }

  @Override
  public Page<Point> page(Page<@Nullable Point> page, Result<Integer> result) {
    int offset = result instanceof Ok<Integer> ok ? ok.value() : 0;
    List<Point> points = new ArrayList<>();
    for (Point point : page.items()) {
      points.add(point == null ? new Point(offset, offset) : point);
    }
    return new Page<>(points, page.next() == null ? null : page(page.next(), result));
  }

  @Override
  public Account account(Account account) {
    return account;
  }

  @Override
  public @Nullable String nullable(
      @Nullable String text, @Nullable Integer number, @Nullable Point point) {
    return text == null && number == null && point == null ? null : text + number + point;
  }

  @Override
  public Money money(Money money, List<Money> more) {
    return Money.ofCents(money.cents() + more.stream().mapToLong(Money::cents).sum());
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
  public int[][] arrays(String[] names, List<String>[] lists, Color... colors) {
    return new int[][] {
      Arrays.stream(names).mapToInt(String::length).toArray(),
      Arrays.stream(lists).mapToInt(List::size).toArray(),
      Arrays.stream(colors).mapToInt(Color::ordinal).toArray()
    };
  }

  @Override
  public int count(String what) {
    return what.length();
  }

  @Override
  public List<Point> inherited(Point first, Point second) {
    return List.of(first, second);
  }
}
