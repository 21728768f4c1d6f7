package io.verbena.core.stream;

import io.verbena.core.call.PendingCall;
import io.verbena.link.memory.Quota;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The requests for items of one stream that are under way, in the order of their answers.
 *
 * <p>A request is either alone, and its answer has any length; or it is one of several, and its
 * answer is no longer than the bytes that the request names. Those bytes count until the answer's
 * turn, and all streams of a session count no more than half of what is free of its guaranteed
 * memory. They are not taken from it, so a stream that waits keeps no memory from others. The
 * number of requests grows by one with each full answer, that is, it doubles in each round trip as
 * long as the sender has enough items, and shrinks with answers that are not full. Use under the
 * stream's lock.
 */
final class RequestsAhead<T> {
  /** The most requests under way. */
  static final int MOST = 32;

  /** The least length of an answer to one of several requests. With it a frame is full. */
  private static final int BYTES = 60 << 10;

  /** If an answer is longer than this, the next ones are requested one by one. */
  private static final int LONGEST = 256 << 10;

  /** So many requests are alone, at most, after an item that was too long for several. */
  private static final int MOST_ALONE = 64;

  private final Quota.Share memory;

  /** The bytes that all streams of the session have under way at most. */
  private final AtomicLong ofSession;

  private final ArrayDeque<Question<T>> underWay = new ArrayDeque<>();

  /** The number of items in the requests under way. */
  private long asked;

  /** The number of requests that may be under way. */
  private int most = 1;

  /** The expected length of an answer, a quarter more than those of late. */
  private int bytes = BYTES;

  /** The next requests that must be alone. The first one always is. */
  private int alone = 1;

  private int aloneAgain = 1;

  /** A request and its answer. */
  static final class Question<T> {
    final int items;

    /** The most bytes of its answer; 0 if it is alone. */
    final int bytes;

    private @Nullable PendingCall<SessionStreams.Batch<T>> call;
    private SessionStreams.@Nullable Batch<T> batch;
    private @Nullable Throwable failure;

    private Question(int items, int bytes) {
      this.items = items;
      this.bytes = bytes;
    }

    /** Returns the failure; null if there are items. */
    @Nullable Throwable failure() {
      return failure;
    }

    /** Returns the items; null if it failed. */
    SessionStreams.@Nullable Batch<T> batch() {
      return batch;
    }
  }

  RequestsAhead(Quota.Share memory, AtomicLong ofSession) {
    this.memory = memory;
    this.ofSession = ofSession;
  }

  /** Returns whether {@link #next} may make a request. */
  boolean mayAsk(long wanted, HeldItems<T> items) {
    long more = wanted - asked;
    if (more <= 0) {
      return false;
    }
    if (underWay.isEmpty()) {
      return items.waiting() <= SessionStreams.MOST / 2 && items.mayGrow();
    }
    Question<T> last = underWay.getLast();
    return last.call != null
        && last.bytes > 0
        && alone == 0
        && underWay.size() + items.batches() <= most
        && more >= Math.min(SessionStreams.MOST, asked / 4); // not one for each used item
  }

  /**
   * Makes the next request.
   *
   * @param wanted the number of items that the subscriber has requested and that are not here
   * @param several whether the sender answers several requests, and there is room for them
   * @return the request; null if there is none to make
   */
  @Nullable Question<T> next(long wanted, HeldItems<T> items, boolean several) {
    if (!mayAsk(wanted, items) || (!underWay.isEmpty() && !several)) {
      return null;
    }
    int length = alone > 0 || !several || bytes > LONGEST ? 0 : bytes;
    if (length > 0 && ofSession.get() + length > memory.unused() / 2) {
      length = 0;
    }
    if (length == 0 && !underWay.isEmpty()) {
      return null;
    }
    ofSession.addAndGet(length);
    alone -= alone > 0 ? 1 : 0;
    Question<T> next = new Question<>((int) Math.min(wanted - asked, SessionStreams.MOST), length);
    asked += next.items;
    underWay.add(next);
    return next;
  }

  /** Returns whether no other request is under way before this one. */
  boolean isFirst(Question<T> question) {
    return underWay.peek() == question;
  }

  /** Notes the call of a request. Returns false if the stream has ended meanwhile. */
  boolean begun(Question<T> question, PendingCall<SessionStreams.Batch<T>> call) {
    question.call = call;
    return underWay.contains(question);
  }

  /** Takes back a request for which the session had no room. */
  void notBegun(Question<T> question) {
    if (underWay.remove(question)) {
      left(question);
      most = 1;
    }
  }

  /** Notes the answer to a request. */
  void answered(
      Question<T> question, SessionStreams.@Nullable Batch<T> batch, @Nullable Throwable failure) {
    question.batch = batch;
    question.failure = failure;
  }

  /** Returns the request whose answer is the next, and has come; null if there is none. */
  @Nullable Question<T> nextAnswer() {
    Question<T> first = underWay.peek();
    if (first == null || (first.batch == null && first.failure == null)) {
      return null;
    }
    underWay.remove();
    left(first);
    if (first.batch != null) {
      adapt(first, first.batch);
    }
    return first;
  }

  private void left(Question<T> question) {
    asked -= question.items;
    ofSession.addAndGet(-question.bytes);
  }

  private void adapt(Question<T> question, SessionStreams.Batch<T> batch) {
    if (batch.items().isEmpty()) {
      if (!batch.last() && alone == 0) { // the next item is too long
        alone = aloneAgain;
        aloneAgain = Math.min(2 * aloneAgain, MOST_ALONE);
        most = 1;
      }
      return;
    }
    int length = (int) Math.min(Integer.MAX_VALUE / 2, batch.bytes() + batch.bytes() / 4);
    bytes = Math.max(BYTES, question.bytes > 0 ? bytes - (bytes - length) / 8 : length);
    boolean full =
        batch.items().size() == question.items || 4 * batch.bytes() >= 3L * question.bytes;
    most = full ? Math.min(most + 1, MOST) : Math.max(2, most - 1);
  }

  /** Forgets all requests. Returns the calls that were not answered. */
  List<PendingCall<?>> clear() {
    List<PendingCall<?>> unanswered = new ArrayList<>();
    for (Question<T> question : underWay) {
      left(question);
      if (question.call != null && question.batch == null && question.failure == null) {
        unanswered.add(question.call);
      }
    }
    underWay.clear();
    return unanswered;
  }
}
