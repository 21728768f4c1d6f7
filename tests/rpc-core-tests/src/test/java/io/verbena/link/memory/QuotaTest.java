package io.verbena.link.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The guaranteed part of one session is available to no other. */
class QuotaTest {
  private static final long LIMIT = 1000;
  private static final long SHARE = LIMIT / 2 / 4;
  private static final long MOST = SHARE + LIMIT / 2;

  private final Quota quota = new Quota(LIMIT, 10);
  private final List<String> wanted = new ArrayList<>();
  private final Queue<Runnable> loop = new ArrayDeque<>();
  private final List<String> looked = new ArrayList<>();
  private final List<String> had = new ArrayList<>();

  private Quota.Share join(String peer) {
    return quota.join(
        new Quota.Holder() {
          @Override
          public String peer() {
            return peer;
          }

          @Override
          public void wanted() {
            wanted.add(peer);
          }
        });
  }

  @Test
  void oneSessionHasItsShareAndWhatIsLent() {
    Quota.Share greedy = join("greedy");
    assertThat(greedy.take(MOST)).isTrue();
    assertThat(greedy.take(1)).isFalse();
    assertThat(greedy.held()).isEqualTo(MOST);
    greedy.give(MOST);
    assertThat(quota.taken()).isZero();
  }

  @Test
  void othersFindTheirSharesWhateverOneHas() {
    Quota.Share greedy = join("greedy");
    assertThat(greedy.take(MOST)).isTrue();
    for (int i = 1; i < 4; i++) {
      Quota.Share modest = join("modest");
      assertThat(modest.take(SHARE)).as("share %d", i).isTrue();
      assertThat(modest.take(1)).isFalse();
    }
    assertThat(quota.taken()).isEqualTo(LIMIT);
  }

  @Test
  void whatIsMerelyBorrowedLeavesEachItsShare() {
    Quota.Share greedy = join("greedy");
    assertThat(greedy.borrow(LIMIT / 2)).isTrue();
    assertThat(greedy.borrow(1)).isFalse();
    assertThat(greedy.take(SHARE)).as("its own part").isTrue();
    assertThat(join("modest").take(SHARE)).isTrue();
    greedy.give(MOST);
    assertThat(quota.taken()).isEqualTo(SHARE);
  }

  @Test
  void noAmountIsTooLargeToBeRefused() {
    Quota.Share greedy = join("greedy");
    assertThat(greedy.take(MOST)).isTrue();
    for (long amount : new long[] {Long.MAX_VALUE, Long.MAX_VALUE - MOST}) {
      assertThat(greedy.take(amount)).isFalse();
      assertThat(greedy.borrow(amount)).isFalse();
    }
    assertThat(quota.taken()).isEqualTo(MOST);
  }

  @Test
  void whatIsBorrowedIsGivenBackFirst() {
    Quota.Share greedy = join("greedy");
    Quota.Share other = join("other");
    assertThat(greedy.take(MOST)).isTrue();
    assertThat(other.take(SHARE + 100)).isFalse();
    greedy.give(100);
    assertThat(other.take(SHARE + 100)).isTrue();
    assertThat(greedy.isBeyondGuaranteed()).isTrue();
  }

  @Test
  void sharesShrinkAsSessionsComeDownToTheLeast() {
    List<Quota.Share> all = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      all.add(join("one of many"));
    }
    assertThat(all.getFirst().guaranteed()).isEqualTo(10);
    all.forEach(Quota.Share::leave);
    assertThat(join("alone").guaranteed()).isEqualTo(SHARE);
  }

  @Test
  void whatExistsAlreadyIsCountedEvenWhereThereIsNoMore() {
    Quota.Share greedy = join("greedy");
    greedy.takeAnyway(3 * LIMIT);
    assertThat(quota.taken()).isEqualTo(3 * LIMIT);
    assertThat(join("other").take(SHARE)).isTrue();
    greedy.give(3 * LIMIT);
    assertThat(quota.taken()).isEqualTo(SHARE);
  }

  @Test
  void thoseWhoHaveMoreThanTheirShareAreToldThatItIsWanted() {
    Quota.Share greedy = join("greedy");
    Quota.Share modest = join("modest");
    assertThat(greedy.take(SHARE + 1)).isTrue();
    assertThat(modest.take(SHARE)).isTrue();
    quota.want();
    assertThat(wanted).containsExactly("greedy");
  }

  /** Waits for so much, and takes it when it is told that it may be there. */
  private Waiters.Place waitFor(Quota.Share share, long amount, String name) {
    Waiters.Place[] place = new Waiters.Place[1];
    place[0] =
        share
            .waiters()
            .place(
                loop::add,
                () -> {
                  looked.add(name);
                  if (share.take(amount)) {
                    had.add(name);
                    place[0].leave();
                  }
                });
    place[0].join(() -> share.beyond(amount));
    runLoop();
    looked.clear();
    return place[0];
  }

  private void runLoop() {
    for (Runnable next = loop.poll(); next != null; next = loop.poll()) {
      next.run();
    }
  }

  @Test
  void whoWaitsGoesOnOnItsLoopWhenAnotherGivesBack() {
    Quota.Share greedy = join("greedy");
    assertThat(greedy.take(MOST)).isTrue();
    waitFor(join("patient"), SHARE + 1, "patient");
    greedy.give(1);
    assertThat(had).as("on its own loop").isEmpty();
    runLoop();
    assertThat(had).containsExactly("patient");
    assertThat(quota.isAwaited()).isFalse();
  }

  @Test
  void thoseWhoWaitGoOnInTheirOrderAndNoneIsToldInVain() {
    Quota.Share greedy = join("greedy");
    assertThat(greedy.take(MOST)).isTrue();
    waitFor(join("first"), SHARE + 10, "first");
    waitFor(join("second"), SHARE + 10, "second");
    waitFor(join("third"), SHARE + 5, "third");
    greedy.give(15);
    runLoop();
    assertThat(had).as("which have room together").containsExactly("first", "third");
    assertThat(looked).containsExactly("first", "third");
    greedy.give(10);
    runLoop();
    assertThat(had).containsExactly("first", "third", "second");
    assertThat(quota.isAwaited()).isFalse();
  }

  @Test
  void whatIsGuaranteedToOneIsTakenBeforeWhatOthersWaitFor() {
    Quota.Share greedy = join("greedy");
    assertThat(greedy.take(MOST)).isTrue();
    Quota.Share slow = join("slow");
    assertThat(slow.take(SHARE)).isTrue();
    waitFor(join("first"), SHARE + 10, "first");
    waitFor(slow, 20, "slow");
    slow.give(20);
    runLoop();
    assertThat(had).as("its own part").containsExactly("slow");
  }

  @Test
  void whoLeavesPassesOnWhatItWasTold() {
    Quota.Share greedy = join("greedy");
    assertThat(greedy.take(MOST)).isTrue();
    Waiters.Place first = waitFor(join("first"), SHARE + 10, "first");
    Waiters.Place second = waitFor(join("second"), SHARE + 10, "second");
    greedy.give(10);
    first.leave();
    runLoop();
    assertThat(had).containsExactly("second");
    assertThat(looked).as("nobody who has gone is called").containsExactly("second");
    second.leave();
    greedy.give(10);
    runLoop();
    assertThat(looked).containsExactly("second");
  }

  @Test
  void partsThatGrowSinceOthersLeaveAreTold() {
    List<Quota.Share> others = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      others.add(join("one of many"));
    }
    assertThat(others.getFirst().take(LIMIT / 2 + 50)).isTrue();
    Quota.Share patient = join("patient");
    waitFor(patient, 100, "patient");
    others.subList(1, 9).forEach(Quota.Share::leave);
    runLoop();
    assertThat(had).containsExactly("patient");
  }

  @Test
  void aRefusalSaysWhoHasMostAndNamesTheSettingOnlyWhereThatHelps() {
    Quota.Share greedy = join("10.0.0.1:4242");
    Quota.Share other = join("10.0.0.2:4242");
    assertThat(greedy.take(MOST)).isTrue();
    assertThat(other.refusal(SHARE + 1, "maxBytes"))
        .contains("10.0.0.1:4242 has " + MOST)
        .doesNotContain("maxBytes");
    assertThat(other.refusal(MOST + 1, "maxBytes")).contains("raise maxBytes");
  }

  @Test
  void nothingIsLostWhateverSessionsDo() {
    Random random = new Random(7);
    List<Quota.Share> shares = new ArrayList<>();
    List<Long> held = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      if (shares.size() < 8 && random.nextInt(50) == 0) {
        shares.add(join("peer"));
        held.add(0L);
      } else if (!shares.isEmpty()) {
        int one = random.nextInt(shares.size());
        long amount = random.nextInt(200);
        if (random.nextBoolean()) {
          held.set(one, held.get(one) + (shares.get(one).take(amount) ? amount : 0));
        } else {
          long back = Math.min(amount, held.get(one));
          shares.get(one).give(back);
          held.set(one, held.get(one) - back);
        }
        assertThat(shares.get(one).held()).isEqualTo(held.get(one));
      }
      assertThat(quota.taken()).isLessThanOrEqualTo(LIMIT + LIMIT / 2);
    }
    for (int i = 0; i < shares.size(); i++) {
      shares.get(i).give(held.get(i));
    }
    assertThat(quota.taken()).isZero();
  }
}
