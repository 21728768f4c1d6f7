package io.verbena.core.session;

import static java.lang.foreign.MemoryLayout.PathElement.groupElement;
import static java.lang.foreign.MemoryLayout.PathElement.sequenceElement;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.Session;
import io.verbena.api.region.RegionRef;
import io.verbena.api.region.RegionView;
import io.verbena.api.region.Regions;
import io.verbena.core.Probe;
import io.verbena.testkit.Seed;
import io.verbena.testkit.SteppedWorld;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Every accessor of a view does to the owner's memory what the JDK's VarHandle of the same layout
 * does, or refuses the layout: for random layouts, with members of each order and alignment.
 */
class RandomLayoutsTest {
  private static final int ALL = Regions.READ | Regions.WRITE | Regions.ATOMIC;
  private static final int LAYOUTS = 150;
  private static final List<ValueLayout> VALUES =
      List.of(
          ValueLayout.JAVA_LONG,
          ValueLayout.JAVA_LONG,
          ValueLayout.JAVA_LONG_UNALIGNED,
          ValueLayout.JAVA_LONG.withByteAlignment(4),
          ValueLayout.JAVA_LONG.withByteAlignment(16),
          ValueLayout.JAVA_DOUBLE,
          ValueLayout.JAVA_INT,
          ValueLayout.JAVA_SHORT,
          ValueLayout.JAVA_BYTE);

  private final SteppedWorld world = new SteppedWorld();
  private final Session session = world.client().session(world.address());
  private final List<Session> owners = new ArrayList<>();
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory = arena.allocate(1 << 16, 64);
  private final MemorySegment model = arena.allocate(1 << 16, 64);
  private final Random random = Seed.random("views of random layouts");
  private int honoured;

  @AfterEach
  void close() {
    world.close();
    arena.close();
  }

  /** A value in a layout. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Leaf(ValueLayout layout, PathElement[] path) {}

  private MemoryLayout struct(int depth, List<Leaf> leaves, List<PathElement> before) {
    List<MemoryLayout> members = new ArrayList<>();
    long at = 0;
    for (int i = 0; i < 1 + random.nextInt(5); i++) {
      String name = "m" + i;
      List<PathElement> path = new ArrayList<>(before);
      path.add(groupElement(name));
      MemoryLayout member = member(depth, leaves, path);
      long gap = Math.floorMod(-at, member.byteAlignment()) + 16L * random.nextInt(2);
      if (gap > 0) {
        members.add(MemoryLayout.paddingLayout(gap));
      }
      members.add(member.withName(name));
      at += gap + member.byteSize();
    }
    MemoryLayout whole = MemoryLayout.structLayout(members.toArray(MemoryLayout[]::new));
    long rest = Math.floorMod(-at, whole.byteAlignment());
    if (rest > 0 && (depth < 2 || random.nextBoolean())) { // nested in sequences they need it
      members.add(MemoryLayout.paddingLayout(rest));
    }
    return MemoryLayout.structLayout(members.toArray(MemoryLayout[]::new));
  }

  private MemoryLayout member(int depth, List<Leaf> leaves, List<PathElement> path) {
    int kind = depth == 0 ? 0 : random.nextInt(4);
    if (kind == 1) {
      return struct(depth - 1, leaves, path);
    }
    if (kind == 2) {
      path.add(sequenceElement(random.nextInt(2)));
      return MemoryLayout.sequenceLayout(2, struct(depth - 1, leaves, path));
    }
    ValueLayout value = VALUES.get(random.nextInt(VALUES.size()));
    if (random.nextBoolean()) {
      value = value.withOrder(ByteOrder.BIG_ENDIAN);
    }
    leaves.add(new Leaf(value, path.toArray(PathElement[]::new)));
    return value;
  }

  private <T> T await(CompletableFuture<T> future) {
    world.runUntil(future::isDone);
    return future.join();
  }

  /** Runs what may refuse its layout. Returns null if it does. */
  private <T> @Nullable T unlessRefused(Supplier<CompletableFuture<T>> request) {
    CompletableFuture<T> begun;
    try {
      begun = request.get();
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageContaining("path must be that of a long");
      return null;
    }
    honoured++;
    return await(begun);
  }

  private RegionRef expose() {
    world.server(s -> s.serve(Probe.bind(new Probe.Plain())).onSession(owners::add));
    CompletableFuture<String> first = new Probe.Stub(session).submit(Probe.ECHO, "open");
    world.runUntil(first::isDone);
    RegionRef ref = owners.getLast().regions().expose(memory, ALL, Duration.ofHours(1)).ref();
    world.settle();
    return ref;
  }

  @Test
  void everyAccessorDoesWhatTheJdksHandleDoesOrRefusesTheLayout() {
    RegionRef ref = expose();
    for (int i = 0; i < LAYOUTS; i++) {
      List<Leaf> leaves = new ArrayList<>();
      MemoryLayout layout = struct(2, leaves, List.of());
      byte[] bytes = new byte[(int) memory.byteSize()];
      random.nextBytes(bytes);
      memory.copyFrom(MemorySegment.ofArray(bytes));
      model.copyFrom(memory);
      long base = (random.nextInt(4) == 0 ? 4L : 16L) * random.nextInt(64);
      RegionView view;
      try {
        view = RegionView.of(session.regions(), ref, base, layout);
      } catch (IllegalArgumentException e) {
        assertThat(base % layout.byteAlignment()).as("the offset of %s", layout).isNotZero();
        continue;
      }
      wholeStruct(view, layout, base);
      for (Leaf leaf : leaves) {
        member(view, layout, base, leaf);
      }
      assertThat(memory.mismatch(model)).as("%s at %s", layout, base).isEqualTo(-1);
    }
    assertThat(honoured).isGreaterThan(LAYOUTS);
  }

  private void wholeStruct(RegionView view, MemoryLayout layout, long base) {
    MemorySegment struct = await(view.get());
    assertThat(struct.mismatch(model.asSlice(base, layout.byteSize()))).isEqualTo(-1);
    assertThat(struct.maxByteAlignment()).isGreaterThanOrEqualTo(layout.byteAlignment());
    struct.asSlice(0, layout.byteSize()).fill((byte) 3);
    await(view.put(struct));
    model.asSlice(base, layout.byteSize()).fill((byte) 3);
  }

  private void member(RegionView view, MemoryLayout layout, long base, Leaf leaf) {
    VarHandle handle = layout.varHandle(leaf.path);
    boolean isWord =
        leaf.layout instanceof ValueLayout.OfLong && leaf.layout.byteAlignment() >= Long.BYTES;
    long value = random.nextLong();
    Long before = unlessRefused(() -> view.getLong(leaf.path));
    assertThat(before != null).as("a long of %s in %s", leaf.layout, layout).isEqualTo(isWord);
    if (before == null) {
      assertThatThrownBy(() -> view.putLong(value, leaf.path)).hasMessageContaining("path");
      assertThatThrownBy(() -> view.getAndAdd(value, leaf.path)).hasMessageContaining("path");
      assertThatThrownBy(() -> view.compareAndSet(1, value, leaf.path))
          .hasMessageContaining("path");
      return;
    }
    assertThat(before).isEqualTo((long) handle.get(model, base));
    await(view.putLong(value, leaf.path));
    handle.set(model, base, value);
    assertThat(await(view.getLong(leaf.path))).isEqualTo(value);
    long delta = random.nextLong();
    Long sum = unlessRefused(() -> view.getAndAdd(delta, leaf.path));
    assertThat(sum != null).isEqualTo(leaf.layout.order() == ByteOrder.nativeOrder());
    if (sum != null) {
      assertThat(sum).isEqualTo((long) handle.getAndAdd(model, base, delta));
    }
    long now = (long) handle.get(model, base);
    assertThat(await(view.compareAndSet(now + 1, delta, leaf.path))).isFalse();
    assertThat(await(view.compareAndSet(now, delta, leaf.path))).isTrue();
    assertThat(handle.compareAndSet(model, base, now, delta)).isTrue();
    versioned(view, layout, base, leaf, handle);
  }

  /** A version that its owner has made odd by the JDK's handle holds a reader up, or is refused. */
  private void versioned(
      RegionView view, MemoryLayout layout, long base, Leaf leaf, VarHandle handle) {
    long odd = random.nextLong() | 1;
    handle.setVolatile(memory, base, odd);
    handle.setVolatile(model, base, odd);
    CompletableFuture<MemorySegment> read;
    try {
      read = view.getVersioned(leaf.path);
    } catch (IllegalArgumentException e) {
      assertThat(leaf.layout.order()).isNotEqualTo(ByteOrder.nativeOrder());
      MemorySegment struct = memory.asSlice(base, layout.byteSize());
      assertThatThrownBy(() -> RegionView.change(struct, layout, () -> {}, leaf.path))
          .hasMessageContaining("byte order of this machine");
      return;
    }
    world.settle();
    assertThat(read).as("a read of a struct that is being written").isNotDone();
    MemorySegment owners = memory.asSlice(base, layout.byteSize());
    handle.setVolatile(memory, base, odd + 1);
    RegionView.change(owners, layout, () -> {}, leaf.path);
    handle.setVolatile(model, base, odd + 3);
    world.pass(Duration.ofMillis(1));
    assertThat(await(read).mismatch(model.asSlice(base, layout.byteSize()))).isEqualTo(-1);
  }
}
