package io.verbena.junit;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Flow;

/**
 * The streams that the client was answered with and that have not ended: each is handed on in a
 * wrapper that notes how it stands. Safe for any thread.
 */
final class OpenStreams {
  private static final String NOBODY = " was never subscribed to";
  private static final String OPEN = " has neither ended nor been cancelled";

  private final Map<Object, String> open = new ConcurrentHashMap<>();

  /** Returns what is to be said of each. */
  List<String> told() {
    return open.values().stream().sorted().toList();
  }

  /** Returns the same stream, which is looked at from now on. */
  <T> Flow.Publisher<T> watched(String method, Flow.Publisher<T> stream) {
    String name = "the stream of " + method;
    Object key = new Object();
    open.put(key, name + NOBODY);
    return subscriber -> {
      boolean isFirst = open.replace(key, name + NOBODY, name + OPEN);
      // Another one only hears that there is a subscriber.
      stream.subscribe(isFirst ? new Watching<>(key, subscriber) : subscriber);
    };
  }

  private final class Watching<T> implements Flow.Subscriber<T> {
    private final Object key;
    private final Flow.Subscriber<? super T> users;

    Watching(Object key, Flow.Subscriber<? super T> users) {
      this.key = key;
      this.users = users;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      users.onSubscribe(
          new Flow.Subscription() {
            @Override
            public void request(long number) {
              subscription.request(number);
            }

            @Override
            public void cancel() {
              open.remove(key);
              subscription.cancel();
            }
          });
    }

    @Override
    public void onNext(T item) {
      try {
        users.onNext(item);
      } catch (Throwable e) { // which ends the stream
        open.remove(key);
        throw e;
      }
    }

    @Override
    public void onError(Throwable failure) {
      open.remove(key);
      users.onError(failure);
    }

    @Override
    public void onComplete() {
      open.remove(key);
      users.onComplete();
    }
  }
}
