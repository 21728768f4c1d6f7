package io.verbena.api;

import io.verbena.api.stub.CountedItems;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * An iterator over the items of a stream, made by {@link Streams#iterate}. One thread may use it;
 * any thread may {@link #close} it.
 */
public final class StreamIterator<T> implements Iterator<T>, AutoCloseable {
  private static final int AHEAD = 64;

  /** After so long without an event, the subscription is asked whether one may still come. */
  private static final int PATIENCE_SECONDS = 5;

  /**
   * The iterator gives up after more than so many negative answers. One alone may mean that the
   * process was suspended.
   */
  private static final int MOST_MISSED = 2;

  /** An event of the stream: an item, or its end. */
  private sealed interface Event<T> {
    /** One item. */
    record Item<T>(T value) implements Event<T> {}

    /** The end; the failure is null if the stream was complete. */
    record End<T>(@Nullable Throwable failure) implements Event<T> {}
  }

  private final BlockingQueue<Event<T>> events = new LinkedBlockingQueue<>(); // AHEAD at most
  private final Receiver receiver = new Receiver();
  private @Nullable Event<T> next;
  private int taken;
  private volatile boolean closed;

  StreamIterator() {}

  Flow.Subscriber<T> subscriber() {
    return receiver;
  }

  /**
   * Waits until an item has arrived or the stream has ended. Returns false after {@link #close}.
   *
   * @throws RpcException if the stream failed. CANCELLED if the thread was interrupted, which
   *     cancels the stream. UNAVAILABLE if the session's event loop was held up for more than 10 s,
   *     so that no item could arrive
   * @throws IllegalStateException on an event loop, if it would wait
   */
  @Override
  public boolean hasNext() {
    if (closed) {
      return false;
    }
    Event<T> event = next;
    if (event == null) {
      event = take();
      next = event;
    }
    if (closed) { // meanwhile, by another thread
      return false;
    }
    if (event instanceof Event.End<T>(Throwable failure) && failure != null) {
      throw failure instanceof RuntimeException known ? known : new CompletionException(failure);
    }
    return event instanceof Event.Item<T>;
  }

  private Event<T> take() {
    Event<T> there = events.poll();
    if (there != null) {
      return there;
    }
    receiver.checkMayWait();
    int missed = 0;
    try {
      while (missed <= MOST_MISSED) {
        Event<T> event = events.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (event != null) {
          return event;
        }
        missed = receiver.mayHear() ? 0 : missed + 1;
      }
      receiver.cancel();
      return new Event.End<>(
          new RpcException(
              RpcStatus.UNAVAILABLE,
              "the stream has stopped: a nonBlocking handler or a callback of an async call holds"
                  + " up its event loop, or its handlers' executor accepts no work"));
    } catch (InterruptedException e) {
      receiver.cancel();
      Thread.currentThread().interrupt();
      return new Event.End<>(
          new RpcException(RpcStatus.CANCELLED, "the iterating thread was interrupted"));
    }
  }

  @Override
  public T next() {
    if (!hasNext() || !(next instanceof Event.Item<T>(T value))) {
      throw new NoSuchElementException();
    }
    next = null;
    receiver.used(1);
    if (++taken == AHEAD / 2) { // in batches, because each request is a message to the peer
      taken = 0;
      receiver.request(AHEAD / 2);
    }
    return value;
  }

  /**
   * Cancels the stream if it has not ended. Items that have arrived and were not read are
   * discarded.
   */
  @Override
  public void close() {
    closed = true;
    receiver.cancel();
  }

  private final class Receiver implements Flow.Subscriber<T> {
    private Flow.@Nullable Subscription subscription;
    private boolean over;

    @Override
    public void onSubscribe(Flow.Subscription to) {
      synchronized (this) {
        subscription = Objects.requireNonNull(to);
      }
      used(0);
      to.request(AHEAD);
    }

    private synchronized @Nullable CountedItems counted() {
      return subscription instanceof CountedItems counted ? counted : null;
    }

    void used(int number) {
      CountedItems to = counted();
      if (to != null) {
        to.used(number);
      }
    }

    void checkMayWait() {
      CountedItems from = counted();
      if (from != null) {
        from.checkMayWait();
      }
    }

    /** Returns whether items, or the end, may still arrive. */
    boolean mayHear() {
      CountedItems from = counted();
      return from == null || from.mayTell();
    }

    void request(int number) {
      Flow.Subscription to;
      synchronized (this) {
        to = subscription;
      }
      if (to != null) {
        to.request(number);
      }
    }

    void cancel() {
      Flow.Subscription to;
      synchronized (this) {
        to = over ? null : subscription;
        over = true;
      }
      if (to != null) {
        to.cancel();
        events.add(new Event.End<>(null)); // a thread may wait
      }
    }

    @Override
    public void onNext(T item) {
      events.add(new Event.Item<>(item));
    }

    @Override
    public void onError(Throwable failure) {
      end(failure);
    }

    @Override
    public void onComplete() {
      end(null);
    }

    private void end(@Nullable Throwable failure) {
      synchronized (this) {
        over = true;
      }
      events.add(new Event.End<>(failure));
    }
  }
}
