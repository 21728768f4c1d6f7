package io.verbena.testkit.session;

import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** A publisher that sends what the test says. */
final class Ticks implements Flow.Publisher<Long>, Flow.Subscription {
  private Flow.@Nullable Subscriber<? super Long> subscriber;
  long requested;
  boolean cancelled;

  @Override
  public void subscribe(Flow.Subscriber<? super Long> to) {
    subscriber = to;
    to.onSubscribe(this);
  }

  @Override
  public void request(long number) {
    requested += number;
  }

  @Override
  public void cancel() {
    cancelled = true;
  }

  boolean isSubscribed() {
    return subscriber != null;
  }

  void send(long tick) {
    taker().onNext(tick);
  }

  void complete() {
    taker().onComplete();
  }

  private Flow.Subscriber<? super Long> taker() {
    Flow.Subscriber<? super Long> to = subscriber;
    if (to == null) {
      throw new IllegalStateException("nobody has subscribed");
    }
    return to;
  }
}
