package io.verbena.junit;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Flow;

/**
 * Tracks the streams among the client's results that have not ended. Each is wrapped to note its
 * state. Safe for use by any thread.
 */
final class OpenStreams {
  private static final String NOBODY = " was never subscribed to";
  private static final String OPEN = " has neither ended nor been cancelled";

  private final Map<Object, String> open = new ConcurrentHashMap<>();

  /** Returns a line for each open stream. */
  List<String> told() {
    return open.values().stream().sorted().toList();
  }

  /** Returns a wrapper of the stream, and tracks the stream from now on. */
  <T> Flow.Publisher<T> watched(String method, Flow.Publisher<T> stream) {
    String name = "the stream of " + method;
    Object key = new Object();
    open.put(key, name + NOBODY);
    return subscriber -> {
      boolean isFirst = open.replace(key, name + NOBODY, name + OPEN);
      // A further subscriber is only told that there is one already.
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
      } catch (Throwable e) { // this ends the stream
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
