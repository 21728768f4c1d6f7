package io.verbena.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class FetchBudgetTest {
  private static final Duration LONG = Duration.ofMinutes(5);

  @Test
  void fetchesBeginInOrderAsEarlierBlocksAreConsumed() {
    FetchBudget budget = new FetchBudget(30, 1, 10, LONG);
    for (int i = 0; i < 3; i++) {
      assertThat(budget.take()).isCompletedWithValue(true);
    }
    CompletableFuture<Boolean> fourth = budget.take();
    CompletableFuture<Boolean> fifth = budget.take();
    budget.landed(8);
    assertThat(budget.held()).isEqualTo(8);
    assertThat(fourth).isNotDone();
    budget.consumed(8);
    assertThat(budget.held()).isZero();
    assertThat(fourth).isCompletedWithValue(true);
    assertThat(fifth).isNotDone();
    budget.failed();
    assertThat(fifth).isCompletedWithValue(true);
  }

  @Test
  void aFewBeginHoweverLongTheyAre() {
    FetchBudget budget = new FetchBudget(30, 2, 50, LONG);
    assertThat(budget.take()).isCompletedWithValue(true);
    budget.landed(200);
    assertThat(budget.take()).isCompletedWithValue(true);
    CompletableFuture<Boolean> third = budget.take();
    budget.landed(200);
    assertThat(third).isNotDone();
    budget.consumed(200);
    assertThat(third).isCompletedWithValue(true);
  }

  @Test
  void aFetchThatWaitsInVainLandsElsewhereAndTakesNobodysTurn() throws Exception {
    FetchBudget budget = new FetchBudget(10, 1, 10, Duration.ofMillis(10));
    assertThat(budget.take()).isCompletedWithValue(true);
    assertThat(budget.take().get(30, TimeUnit.SECONDS)).isFalse();
    budget.failed();
    assertThat(budget.take()).isCompletedWithValue(true);
  }
}
