package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import io.verbena.api.bulk.TransferOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A server whose users' executor runs nothing, since all of its threads are busy, or rejects all:
 * bytes move on, since moving them is no user's work; what needs users' code waits or fails, alone.
 */
class BusyUsersTest {
  private static final int LENGTH = 300_000;

  private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
  private boolean rejects;
  private final BulkWorld bulk = new BulkWorld(false, server -> server.handlers(this::execute));

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path directory;

  private void execute(Runnable task) {
    if (rejects) {
      throw new RejectedExecutionException("full");
    }
    waiting.add(task);
  }

  @AfterEach
  void close() {
    rejects = false;
    while (!waiting.isEmpty()) {
      waiting.remove().run();
      bulk.world.settle();
    }
    bulk.assertNothingLeft();
    bulk.close();
  }

  private Source file() {
    try {
      return Source.file(Files.write(directory.resolve("source"), new byte[LENGTH]));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Objects that a server sends without any user's code. */
  enum Sent {
    MEMORY,
    HEAP,
    FILE,
    SEVERAL
  }

  private Source source(Sent what) {
    return switch (what) {
      case MEMORY -> Source.of(bulk.bytes(LENGTH, 1));
      case HEAP -> Source.of(new byte[LENGTH]);
      case FILE -> file();
      case SEVERAL -> Source.gathered(Source.of(new byte[LENGTH]), file());
    };
  }

  /** Where a server receives without any user's code but that which says where. */
  enum Taken {
    MEMORY,
    POOLED,
    FILE
  }

  private Landing landing(Taken where) {
    return switch (where) {
      case MEMORY -> Landing.of(bulk.room(LENGTH));
      case POOLED -> Landing.pooled(LENGTH);
      case FILE -> Landing.file(directory.resolve("landed"));
    };
  }

  @ParameterizedTest
  @EnumSource
  void whatIsPublishedIsSent(Sent what) {
    for (boolean checksum : new boolean[] {false, true}) {
      Transfer fetch =
          bulk.session
              .objects()
              .fetch(
                  bulk.publish(source(what)),
                  Landing.pooled(2 * LENGTH),
                  checksum ? TransferOptions.DEFAULT.withChecksum() : TransferOptions.DEFAULT);
      try (Received received = bulk.await(fetch)) {
        assertThat(received.length()).isGreaterThanOrEqualTo(LENGTH);
      }
    }
    assertThat(waiting).isEmpty();
  }

  private Transfer push(Landing landing, boolean nonBlocking) {
    bulk.await(bulk.fetch(bulk.publish(Source.of(new byte[1])), Landing.pooled(1))).close();
    bulk.accepted
        .getFirst()
        .objects()
        .onPush(
            new PushHandler() {
              @Override
              public Landing offered(Offer offer) {
                return landing;
              }

              @Override
              public boolean nonBlocking() {
                return nonBlocking;
              }
            });
    return bulk.session
        .objects()
        .push("x", Source.of(bulk.bytes(LENGTH, 1)), TransferOptions.DEFAULT.withChecksum());
  }

  @ParameterizedTest
  @EnumSource
  void whatIsPushedArrives(Taken where) {
    bulk.await(push(landing(where), true));
    assertThat(waiting).isEmpty();
  }

  @Test
  void largeValuesReachAHandlerOnTheLoop() {
    bulk.await(bulk.fetch(bulk.publish(Source.of(new byte[1])), Landing.pooled(1))).close();
    bulk.accepted.getFirst().serve(ValuesRpc.bind(new OnTheLoop()));
    ValuesRpc.Async values = ValuesRpc.async(bulk.session);
    ByteBuffer same = bulk.await(values.onTheLoop(ByteBuffer.allocate(LENGTH)));
    assertThat(same.remaining()).isEqualTo(LENGTH);
    assertThat(waiting).isEmpty();
  }

  private static final class OnTheLoop implements Values {
    @Override
    public ByteBuffer onTheLoop(ByteBuffer value) {
      return ByteBuffer.allocate(value.remaining());
    }

    @Override
    public MemorySegment echo(MemorySegment value) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Mixed mixed(Mixed value) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void keep(byte[] value) {}

    @Override
    public int count(byte[] value) {
      return value.length;
    }

    @Override
    public byte[] make(int length) {
      return new byte[length];
    }
  }

  @Test
  void aConsumerThatFindsNoThreadFailsItsTransferAlone() {
    Transfer push = push(Landing.chunks((MemorySegment bytes, long offset) -> {}), true);
    rejects = true;
    TransferException failure = bulk.awaitFailure(push);
    assertThat(failure.status()).isEqualTo(RpcStatus.RESOURCE_EXHAUSTED);
    assertThat(failure).hasMessageContaining("the handlers' executor rejected the work");
    bulk.await(bulk.fetch(bulk.publish(Source.of(new byte[9])), Landing.pooled(9))).close();
  }

  @Test
  void aPushHandlerThatFindsNoThreadFailsItsTransferAlone() {
    Transfer push = push(Landing.pooled(LENGTH), false);
    rejects = true;
    TransferException failure = bulk.awaitFailure(push);
    assertThat(failure.status()).isEqualTo(RpcStatus.RESOURCE_EXHAUSTED);
    bulk.await(bulk.fetch(bulk.publish(Source.of(new byte[9])), Landing.pooled(9))).close();
  }
}
