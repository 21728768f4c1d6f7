package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A server whose first sessions hold all its bulk memory, as their parts were larger before others
 * joined. A later session has a free part, and nothing behind it.
 */
class FullMemoryTest {
  private static final int MEBIBYTE = 1 << 20;
  private static final int LENGTH = MEBIBYTE;

  /** As many as parts of equal size are kept for. */
  private static final int FIRST_SESSIONS = 4;

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

  private final BulkWorld bulk = new BulkWorld();
  private final Queue<Received> kept = new ArrayDeque<>();

  /** The later session's use of the server's memory. */
  private enum Need {
    /** The server reads ahead of sending. */
    SENT {
      @Override
      Transfer begin(BulkWorld bulk, Session session) {
        ObjectRef ref = bulk.publish(Source.of(new byte[LENGTH]));
        return session.objects().fetch(ref, Landing.of(bulk.room(LENGTH)));
      }
    },
    /** The server passes what arrives to a consumer. */
    CONSUMED {
      @Override
      Transfer begin(BulkWorld bulk, Session session) {
        return session.objects().push("consumed", Source.of(bulk.bytes(LENGTH, 5)));
      }
    },
    /** The server keeps what arrives. */
    KEPT {
      @Override
      Transfer begin(BulkWorld bulk, Session session) {
        return session.objects().push("kept", Source.of(bulk.bytes(LENGTH, 5)));
      }
    };

    abstract Transfer begin(BulkWorld bulk, Session session);
  }

  private final class Keeper implements PushHandler {
    @Override
    public Landing offered(Offer offer) {
      return offer.name().equals("consumed")
          ? Landing.chunks((chunk, offset) -> {})
          : Landing.pooled(offer.length());
    }

    @Override
    public void received(Offer offer, Received received) {
      kept.add(received);
    }
  }

  private Session open() {
    Session session = bulk.client.session(bulk.world.address());
    ObjectRef any = bulk.publish(Source.of(bulk.bytes(1, 1)));
    bulk.await(session.objects().fetch(any, Landing.of(bulk.room(1))));
    bulk.accepted.getLast().objects().onPush(new Keeper());
    return session;
  }

  private void keep(Session session, int mebibytes) {
    for (int i = 0; i < mebibytes; i++) {
      bulk.await(session.objects().push("kept", Source.of(bulk.bytes(MEBIBYTE, i))));
    }
  }

  /** The first sessions take all there is; returns one that comes after them. */
  private Session comesLate() {
    List<Session> first = new ArrayList<>();
    for (int i = 0; i < FIRST_SESSIONS; i++) {
      first.add(open());
      keep(first.getLast(), 2);
    }
    keep(first.getLast(), 8);
    assertThat(bulk.server.bulkStats().memoryInUse()).isEqualTo(BulkWorld.MEMORY);
    return open();
  }

  @AfterEach
  void nothingIsLeft() {
    bulk.world.settle();
    kept.forEach(Received::close);
    bulk.assertNothingLeft();
    bulk.close();
  }

  @ParameterizedTest
  @EnumSource
  void whatFindsNoneWaitsUntilAnotherSessionGivesSomeBack(Need need) {
    Transfer waits = need.begin(bulk, comesLate());
    bulk.world.pass(Duration.ofSeconds(5));
    assertThat(waits.result().toCompletableFuture()).isNotDone();
    long since = bulk.world.clock().nanoTime();
    kept.remove().close();
    bulk.await(waits).close();
    assertThat(bulk.world.clock().nanoTime() - since)
        .as("it is told at once")
        .isLessThan(Duration.ofMillis(500).toNanos());
  }

  @Test
  void whatFindsNoneForLongFailsAndSaysWhy() {
    Transfer waits = Need.SENT.begin(bulk, comesLate());
    long since = bulk.world.clock().nanoTime();
    TransferException failure = bulk.awaitFailure(waits);
    assertThat(bulk.world.clock().nanoTime() - since)
        .isGreaterThanOrEqualTo(LONGEST_WAIT.toNanos());
    assertThat(failure.status()).isEqualTo(RpcStatus.RESOURCE_EXHAUSTED);
    assertThat(failure)
        .hasMessageContaining("%d of %<d are in use".formatted(BulkWorld.MEMORY))
        .hasMessageContaining("the sessions together need more")
        .hasMessageContaining("raise bulkMemoryBytes");
  }
}
