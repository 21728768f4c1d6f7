package io.verbena.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class FetchBudgetTest {
  private final List<Runnable> later = new ArrayList<>();

  @Test
  void fetchesBeginInOrderAsEarlierBlocksAreConsumed() {
    FetchBudget budget = new FetchBudget(3, 10, later::add);
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
    FetchBudget budget = new FetchBudget(2, 50, later::add);
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
  void moreBeginIfTheyAreShorterThanExpected() {
    FetchBudget budget = new FetchBudget(2, 50, later::add);
    assertThat(budget.take()).isCompletedWithValue(true);
    assertThat(budget.take()).isCompletedWithValue(true);
    CompletableFuture<Boolean> third = budget.take();
    budget.landed(20);
    assertThat(third).isNotDone();
    budget.landed(20);
    assertThat(third).isCompletedWithValue(true);
  }

  @Test
  void aFetchThatWaitsInVainLandsElsewhereAndTakesNobodysTurn() {
    FetchBudget budget = new FetchBudget(1, 10, later::add);
    assertThat(budget.take()).isCompletedWithValue(true);
    CompletableFuture<Boolean> second = budget.take();
    budget.landed(10);
    runLater();
    assertThat(second).isNotDone();
    runLater();
    assertThat(second).isCompletedWithValue(false);
    budget.consumed(10);
    assertThat(budget.take()).isCompletedWithValue(true);
  }

  @Test
  void aFetchWaitsWhileTasksConsumeBlocks() {
    FetchBudget budget = new FetchBudget(1, 10, later::add);
    assertThat(budget.take()).isCompletedWithValue(true);
    CompletableFuture<Boolean> second = budget.take();
    runLater(); // nothing is there that a task could consume
    budget.landed(10);
    for (int i = 0; i < 10; i++) {
      budget.released();
      runLater();
      assertThat(second).isNotDone();
    }
    runLater();
    assertThat(second).isCompletedWithValue(false);
    assertThat(later).isEmpty();
  }

  private void runLater() {
    List<Runnable> now = List.copyOf(later);
    later.clear();
    now.forEach(Runnable::run);
  }
}
