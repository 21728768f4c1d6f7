package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Pushes wait while many calls of their handler have not returned. */
class SlowPushHandlersTest {
  private static final int MOST = 1024;

  private final ArrayDeque<Runnable> slow = new ArrayDeque<>();
  private boolean nextIsSlow;
  private int asked;
  private final BulkWorld bulk = new BulkWorld(false, server -> server.handlers(this::execute));

  /** Runs everything at once, but what an object that has arrived is handed to. */
  private void execute(Runnable task) {
    if (nextIsSlow) {
      nextIsSlow = false;
      slow.add(task);
    } else {
      task.run();
    }
  }

  private final class Taker implements PushHandler {
    @Override
    public Landing offered(Offer offer) {
      asked++;
      nextIsSlow = true;
      return Landing.pooled(offer.length());
    }
  }

  private Transfer push() {
    return bulk.session.objects().push("x", Source.of(new byte[10]));
  }

  @BeforeEach
  void manyAreWithTheirHandler() {
    bulk.await(bulk.fetch(bulk.publish(Source.of(new byte[1])), Landing.pooled(1))).close();
    bulk.accepted.getFirst().objects().onPush(new Taker());
    for (int i = 0; i < MOST; i++) {
      bulk.await(push());
    }
    assertThat(slow).hasSize(MOST);
  }

  @AfterEach
  void close() {
    nextIsSlow = false;
    returnAll();
    bulk.assertNothingLeft();
    bulk.close();
  }

  private void returnAll() {
    while (!slow.isEmpty()) {
      slow.remove().run();
      bulk.world.settle();
    }
  }

  @Test
  void furtherOnesAreTakenAsTheyReturn() {
    List<Transfer> further = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      further.add(push());
    }
    bulk.world.settle();
    assertThat(asked).isEqualTo(MOST);
    assertThat(further).noneMatch(BulkWorld::isOver);
    returnAll();
    further.forEach(bulk::await);
  }

  @Test
  void oneThatIsCancelledInItsTurnIsNeverAskedFor() {
    Transfer cancelled = push();
    Transfer next = push();
    bulk.world.settle();
    cancelled.cancel();
    assertThat(bulk.awaitFailure(cancelled).status()).isEqualTo(RpcStatus.CANCELLED);
    bulk.world.settle();
    assertThat(bulk.server.bulkStats().receiving()).as("the next one").isOne();
    slow.remove().run();
    bulk.await(next);
    assertThat(asked).isEqualTo(MOST + 1);
  }

  @Test
  void aSessionThatEndsMeanwhileLeavesNothing() {
    Transfer waiting = push();
    bulk.world.settle();
    bulk.session.close();
    assertThat(bulk.awaitFailure(waiting).object()).isEqualTo("push 'x'");
  }
}
