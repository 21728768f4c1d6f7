package io.verbena.core.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Takes what comes, and asks for no more than the test does. */
public final class Listener<T> implements Flow.Subscriber<T> {
  public final List<T> items = new ArrayList<>();
  public final CompletableFuture<Void> end = new CompletableFuture<>();
  private Flow.@Nullable Subscription subscription;

  @Override
  public void onSubscribe(Flow.Subscription to) {
    subscription = to;
  }

  @Override
  public void onNext(T item) {
    items.add(item);
  }

  @Override
  public void onError(Throwable failure) {
    end.completeExceptionally(failure);
  }

  @Override
  public void onComplete() {
    end.complete(null);
  }

  public void request(long number) {
    Objects.requireNonNull(subscription).request(number);
  }

  public void cancel() {
    Objects.requireNonNull(subscription).cancel();
  }
}
