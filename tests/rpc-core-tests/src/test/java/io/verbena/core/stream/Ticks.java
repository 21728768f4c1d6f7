package io.verbena.core.stream;

import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** A publisher that sends what the test says. */
public final class Ticks implements Flow.Publisher<Long>, Flow.Subscription {
  private Flow.@Nullable Subscriber<? super Long> subscriber;
  public long requested;
  public boolean cancelled;

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

  public boolean isSubscribed() {
    return subscriber != null;
  }

  public void send(long tick) {
    taker().onNext(tick);
  }

  public void complete() {
    taker().onComplete();
  }

  void fail(Throwable why) {
    taker().onError(why);
  }

  private Flow.Subscriber<? super Long> taker() {
    Flow.Subscriber<? super Long> to = subscriber;
    if (to == null) {
      throw new IllegalStateException("nobody has subscribed");
    }
    return to;
  }
}
