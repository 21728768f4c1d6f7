package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.fabric.DeviceProfile;
import io.verbena.verbs.fabric.RequestWatcher;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many requests both ends post to their devices for one object, exactly. */
final class RequestsPerObjectTest {
  private static final int OBJECTS = 8;

  /** With so many credits none is returned by itself, which is not of one object. */
  private static final RdmaSettings PLENTY =
      RdmaSettings.DEFAULT.withGuaranteedCredits(0).withCredits(1024).withRails(1);

  private final Counted counted = new Counted();

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path directory;

  /** The end that begins. */
  private enum Way {
    PUT,
    FETCH
  }

  /** The destination of an object. */
  private enum Into {
    MEMORY,
    POOLED,
    FILE
  }

  private static final class Counted implements RequestWatcher {
    int sends;
    int writes;

    /** For the device itself: opening and shutting what the peer may write to. */
    int local;

    @Override
    public void carriedOut(int opcode, long bytes) {}

    @Override
    public void posted(int opcode) {
      switch (opcode) {
        case SendOpcode.SEND -> sends++;
        case SendOpcode.RDMA_WRITE, SendOpcode.RDMA_WRITE_WITH_IMM -> writes++;
        case SendOpcode.BIND_MW, SendOpcode.LOCAL_INV -> local++;
        default -> throw new AssertionError(SendOpcode.name(opcode));
      }
    }
  }

  /**
   * One after another, so that what the sender of the last need not know yet goes with the next.
   */
  @ParameterizedTest(name = "{0} {1} KiB into {2}, checked: {3}")
  @CsvSource(
      delimiter = '|',
      useHeadersInDisplayName = false,
      textBlock =
          """
          # way | KiB  | into     | checked | Sends | WRITEs | local
          PUT   | 64   | MEMORY   | false   | 3     | 1      | 2
          PUT   | 64   | MEMORY   | true    | 4     | 1      | 2
          PUT   | 64   | POOLED   | false   | 3     | 1      | 2
          PUT   | 64   | POOLED   | true    | 4     | 1      | 2
          PUT   | 64   | FILE     | false   | 3     | 1      | 2
          PUT   | 64   | FILE     | true    | 4     | 1      | 2
          FETCH | 64   | MEMORY   | false   | 1     | 1      | 2
          FETCH | 64   | MEMORY   | true    | 2     | 1      | 2
          FETCH | 64   | POOLED   | false   | 1     | 1      | 2
          FETCH | 64   | POOLED   | true    | 2     | 1      | 2
          FETCH | 64   | FILE     | false   | 2     | 1      | 2
          FETCH | 64   | FILE     | true    | 3     | 1      | 2
          PUT   | 1024 | MEMORY   | false   | 3     | 16     | 2
          PUT   | 1024 | MEMORY   | true    | 4     | 16     | 2
          PUT   | 1024 | POOLED   | false   | 3     | 16     | 2
          PUT   | 1024 | POOLED   | true    | 4     | 16     | 2
          PUT   | 1024 | FILE     | false   | 3     | 16     | 2
          PUT   | 1024 | FILE     | true    | 4     | 16     | 2
          FETCH | 1024 | MEMORY   | false   | 1     | 16     | 2
          FETCH | 1024 | MEMORY   | true    | 2     | 16     | 2
          FETCH | 1024 | POOLED   | false   | 1     | 16     | 2
          FETCH | 1024 | POOLED   | true    | 2     | 16     | 2
          FETCH | 1024 | FILE     | false   | 2     | 16     | 2
          FETCH | 1024 | FILE     | true    | 3     | 16     | 2
          """)
  void areAsManyAsTheyMustBe(
      Way way, int kib, Into into, boolean checked, int sends, int writes, int local) {
    move(PLENTY, way, kib, into, checked);
    assertThat(new int[] {counted.sends, counted.writes, counted.local})
        .as("Sends, WRITEs, local requests for %d objects", OBJECTS)
        .containsExactly(sends * OBJECTS, writes * OBJECTS, local * OBJECTS);
  }

  /** On a link at rest, which has 8 credits. */
  @Test
  void fewSendsGoForCreditAlone() {
    move(RdmaSettings.DEFAULT, Way.PUT, 64, Into.MEMORY, false);
    assertThat(counted.sends).as("of which 3 an object are its own").isLessThan(3 * OBJECTS + 4);
  }

  private void move(RdmaSettings settings, Way way, int kib, Into into, boolean checked) {
    try (RdmaWorld world =
        new RdmaWorld(
                1,
                DeviceProfile.full(),
                settings,
                server -> server.pinCutOffBytes(1),
                client -> client.pinCutOffBytes(1))
            .upgraded()) {
      Landing landing = landing(world, into, kib << 10);
      world.accepted.objects().onPush(offer -> landing);
      Source source = Source.of(world.memory(kib << 10));
      ObjectRef ref = world.accepted.objects().publish(source, Duration.ofHours(1)).ref();
      TransferOptions options =
          checked
              ? TransferOptions.DEFAULT.withChecksum()
              : TransferOptions.DEFAULT.withoutChecksum();
      Runnable move =
          () ->
              whole(
                  world,
                  way == Way.PUT
                      ? world.session.objects().push("object", source, options)
                      : world.session.objects().fetch(ref, landing, options));
      move.run(); // what is done once is done then
      world.world.pass(Duration.ofMillis(50));
      world.verbs.east.watch(counted);
      world.verbs.west.watch(counted);
      for (int i = 0; i < OBJECTS; i++) {
        move.run();
      }
      world.verbs.east.watch((opcode, bytes) -> {});
      world.verbs.west.watch((opcode, bytes) -> {});
    }
  }

  private Landing landing(RdmaWorld world, Into into, int bytes) {
    return switch (into) {
      case MEMORY -> Landing.of(world.memory(bytes));
      case POOLED -> Landing.pooled(bytes);
      case FILE -> Landing.file(directory.resolve("file"));
    };
  }

  /** Without that much time passes, which would have either end say what can wait. */
  private static void whole(RdmaWorld world, Transfer transfer) {
    CompletableFuture<Received> outcome = transfer.result().toCompletableFuture();
    while (!outcome.isDone()) {
      world.step();
    }
    outcome.join().close();
    for (int i = 0; i < 50; i++) { // the other end's end
      world.step();
    }
  }
}
