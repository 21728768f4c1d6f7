package io.verbena.core.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is guaranteed to one session nobody else can have. */
class QuotaTest {
  private static final long LIMIT = 1000;
  private static final long SHARE = LIMIT / 2 / 4;
  private static final long MOST = SHARE + LIMIT / 2;

  private final Quota quota = new Quota(LIMIT, 10);
  private final List<String> wanted = new ArrayList<>();

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

  @Test
  void whoeverWaitsIsTold() {
    Quota.Share greedy = join("greedy");
    assertThat(greedy.take(2)).isTrue();
    List<Integer> woken = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      int waiter = i;
      quota.whenFreed(() -> woken.add(waiter));
    }
    greedy.give(1);
    assertThat(woken).as("one unit is of use to one").containsExactly(0);
    greedy.give(1);
    assertThat(woken).containsExactly(0, 1);
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
