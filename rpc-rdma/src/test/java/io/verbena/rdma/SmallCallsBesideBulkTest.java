package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Source;
import io.verbena.testkit.Seed;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.RequestWatcher;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Small calls wait for no large object, but for what is under way of them: a window each way. What
 * is counted is what a device carries out in the order of its queue, not what arrives meanwhile:
 * the peer may see a call late, and its sender's bulk goes on until then.
 */
final class SmallCallsBesideBulkTest {
  private static final int WORLDS = Boolean.getBoolean("verbena.long") ? 3 : 2;
  private static final int CALLS = 60;
  private static final int OBJECTS_EACH_WAY = 4;
  private static final int OBJECT_BYTES = 4 << 20;
  private static final long ALL_OBJECTS = (long) OBJECTS_EACH_WAY * OBJECT_BYTES;
  private static final long WINDOW = RdmaSettings.DEFAULT.bulkWindowBytes();

  /** Longer than all that so many objects have to say at a time, by which its Send is known. */
  private static final String TEXT = "x".repeat(3000);

  private boolean over;

  /** Whose bulk takes other ways. */
  static List<DeviceProfile> devices() {
    DeviceProfile full = DeviceProfile.full();
    return List.of(
        full,
        full.withoutWriteWithImmediate(),
        full.withoutSrq(),
        full.withoutMemoryWindows(),
        full.withMaxInline(0));
  }

  /** The operations of one end's device. */
  private static final class Carried implements RequestWatcher {
    long bulk;

    /** Of these, before the latest Send with the text. */
    long bulkBeforeText;

    @Override
    public void carriedOut(int opcode, long bytes) {
      if (opcode == SendOpcode.RDMA_WRITE || opcode == SendOpcode.RDMA_WRITE_WITH_IMM) {
        bulk += bytes;
      } else if (bytes >= TEXT.length()) {
        bulkBeforeText = bulk;
      }
    }
  }

  @ParameterizedTest
  @MethodSource("devices")
  void aCallWaitsForAWindowAtMostEachWay(DeviceProfile device) {
    Random random = Seed.random("small calls beside bulk on " + device);
    for (int i = 0; i < WORLDS; i++) {
      callAmongObjects(device, random);
    }
  }

  private void callAmongObjects(DeviceProfile device, Random random) {
    Carried there = new Carried();
    Carried back = new Carried();
    long[] backAtReply = new long[1];
    over = false;
    try (RdmaWorld world =
        new RdmaWorld(
                random.nextLong(),
                device,
                server -> server.serve(Echo.bind(text -> backAtReply[0] = back.bulk)),
                client -> {})
            .upgraded()) {
      world.verbs.east.watch(there);
      world.verbs.west.watch(back);
      moveObjects(world, world.session, world.accepted);
      moveObjects(world, world.accepted, world.session);
      for (int i = 0; i < CALLS; i++) {
        for (int steps = random.nextInt(100); steps > 0; steps--) {
          world.step();
        }
        long thereAtCall = there.bulk;
        CompletableFuture<String> call = Echo.call(world.session, TEXT);
        while (!call.isDone()) {
          world.step();
        }
        assertThat(call.join()).isEqualTo(TEXT);
        assertThat(there.bulkBeforeText - thereAtCall)
            .as("bulk bytes ahead of call %d in %s", i, world.verbs.fabric)
            .isBetween(0L, WINDOW);
        assertThat(back.bulkBeforeText - backAtReply[0])
            .as("bulk bytes ahead of its reply in %s", world.verbs.fabric)
            .isBetween(0L, WINDOW);
      }
      assertThat(there.bulk).as("written meanwhile").isGreaterThan(ALL_OBJECTS);
      assertThat(back.bulk).as("written meanwhile").isGreaterThan(ALL_OBJECTS);
      over = true;
    }
  }

  /** Moves some objects at a time, for ever. Nobody looks at what arrives. */
  private void moveObjects(RdmaWorld world, Session from, Session to) {
    Source object = Source.of(world.memory(OBJECT_BYTES));
    List<MemorySegment> rooms = new ArrayList<>();
    for (int i = 0; i < 2 * OBJECTS_EACH_WAY; i++) {
      rooms.add(world.memory(OBJECT_BYTES));
    }
    AtomicInteger next = new AtomicInteger();
    to.objects().onPush(offer -> Landing.of(rooms.get(next.getAndIncrement() % rooms.size())));
    for (int i = 0; i < OBJECTS_EACH_WAY; i++) {
      moveForEver(from, object);
    }
  }

  private void moveForEver(Session from, Source object) {
    from.objects()
        .push("large", object)
        .result()
        .thenAccept(
            arrived -> {
              if (!over) {
                moveForEver(from, object);
              }
            });
  }
}
