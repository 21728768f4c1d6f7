package io.verbena.channel;

import io.verbena.api.AttemptNumber;
import io.verbena.api.CallPhase;
import io.verbena.api.Execution;
import io.verbena.api.Metadata;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.stub.MethodDescriptor;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The attempts of one call so far, and whether another one follows. For one thread at a time.
 *
 * <p>A call that was surely not executed moves to another server at once: the server shuts down,
 * was unreachable or does not serve the method. A call moves to each server at most once. Two moves
 * are free, and each further move takes a token of the budget. Without that limit, a call that
 * every server refuses would be made as often as there are servers. Any other failure that may be
 * retried is followed by a delay, takes a token, and counts as an attempt.
 */
final class CallPlan {
  /** The call has failed for good. */
  static final long GIVE_UP = -1;

  /**
   * The number of free moves: one for a server that shuts down, one for another that has just gone.
   */
  private static final int FREE_MOVES = 2;

  private final BalancedChannel channel;
  private final Balancer.Outgoing call;
  private final boolean lands;
  private final long deadline;
  private Set<Member> tried = Set.of();
  private int attempts = 1;
  private int begun;
  private int waits;
  private int moved;
  private boolean waited;

  /** The next attempt goes to a server that the call has not been to, even one that is left out. */
  private boolean moves;

  private @Nullable RpcException last;

  /** The first failure after which the call may have been executed. */
  private @Nullable RpcException unsure;

  /**
   * Begins a call.
   *
   * @param lands whether its result goes to a landing
   * @param deadline in nanoseconds of the channel's time
   */
  CallPlan(
      BalancedChannel channel,
      MethodDescriptor<?> method,
      Metadata metadata,
      boolean lands,
      long deadline) {
    this.channel = channel;
    this.call = new Balancer.Outgoing(method, metadata, false);
    this.lands = lands;
    this.deadline = deadline;
  }

  Members.Pick pick() {
    Members.Pick pick = channel.members().pick(begun == 0 ? call : again(), tried, moves);
    waited |= pick instanceof Members.Pick.Later;
    return pick;
  }

  private Balancer.Outgoing again() {
    return new Balancer.Outgoing(
        call.method(), AttemptNumber.mark(call.metadata(), nextAttempt()), true);
  }

  /** Notes that an attempt begins. */
  void begin(Member member) {
    if (tried.isEmpty()) {
      tried = new HashSet<>();
    }
    tried.add(member);
    begun++;
    member.begin();
  }

  /** Returns whether the next attempt has another time limit or attempt number than the stub's. */
  boolean differs() {
    return isLimited() || waited || !tried.isEmpty() || last != null;
  }

  /** Returns the number of the next attempt, from 1. Moves and hedges count too. */
  int nextAttempt() {
    return begun + 1;
  }

  /** Notes that an attempt failed. Returns its failure with the server's name in the message. */
  RpcException met(Member member, RpcException met) {
    RpcException failure = named(member, met);
    last = failure;
    if (unsure == null && failure.execution() != Execution.NOT_EXECUTED) {
      unsure = failure;
    }
    return failure;
  }

  private RpcException named(Member member, RpcException met) {
    if (met.isAnswer()) {
      return met; // from an interceptor of this end: no server is at fault
    }
    String words = "%s (server %s, attempt %d)".formatted(met.getMessage(), member, begun);
    RpcException named =
        new RpcException(
                met.status(),
                words,
                met.phase(),
                met.execution(),
                call.method().idempotent(),
                met.remoteType(),
                met.getCause())
            .withMetadata(met.metadata());
    named.setStackTrace(met.getStackTrace());
    return named.mayRetry() && !met.mayRetry() ? named.forGood() : named;
  }

  /**
   * Returns the failure of the call after its last attempt. It is NOT_EXECUTED only if no attempt
   * may have been executed.
   */
  RpcException outcome(RpcException failure) {
    RpcException doubt = unsure;
    return doubt != null && failure.execution() == Execution.NOT_EXECUTED ? doubt : failure;
  }

  /** Returns the nanoseconds until the call's deadline. */
  long left() {
    return deadline - channel.settings().time().nanoTime();
  }

  /**
   * Returns the nanoseconds to wait before the next attempt, or {@link #GIVE_UP}.
   *
   * @param failure the one that {@link #met} returned last
   */
  long afterFailure(RpcException failure) {
    boolean safe = !lands || failure.execution() == Execution.NOT_EXECUTED;
    long left = left();
    moves = false;
    if (!safe || left <= 0) {
      return GIVE_UP;
    }
    boolean mayGoElsewhere = mayMove(failure) && channel.members().hasOther(tried);
    if (mayGoElsewhere && (moved < FREE_MOVES || channel.takeToken())) {
      moves = true;
      moved++;
      channel.counters().moves.increment();
      return 0;
    }
    if (!mayRetry(failure)) {
      return GIVE_UP;
    }
    if (neverCame(failure)) {
      boolean mayWait = failure.status() == RpcStatus.UNAVAILABLE || Member.isOfThisEnd(failure);
      if (channel.settings().waitForReady() && mayWait) {
        tried = Set.of();
        return delay(++waits, left);
      }
    }
    if (mayGoElsewhere || attempts >= channel.settings().retries().attempts()) {
      return GIVE_UP; // the budget was asked already
    }
    long delay = delay(attempts, left);
    if (delay != GIVE_UP) {
      if (!channel.takeToken()) {
        return GIVE_UP;
      }
      attempts++;
      channel.counters().retries.increment();
    }
    return delay;
  }

  /**
   * Returns whether the call may be retried after this failure: a retry must be safe, and must have
   * a chance.
   */
  boolean mayRetry(RpcException failure) {
    boolean asked = channel.settings().retries().alsoAfter().contains(failure.status());
    boolean cutShort = failure.status() == RpcStatus.DEADLINE_EXCEEDED && isLimited();
    boolean safe = failure.execution() == Execution.NOT_EXECUTED || call.method().idempotent();
    return failure.mayRetry() || ((asked || cutShort) && safe);
  }

  /**
   * Returns the time limit of the next attempt: the call's deadline, or the attempt timeout if that
   * is sooner and the call is idempotent.
   */
  long attemptNanos() {
    long left = Math.max(1, left());
    return isLimited() ? Math.min(left, channel.settings().retries().attemptNanos()) : left;
  }

  private boolean isLimited() {
    boolean mayBe = call.method().idempotent() && !lands;
    return mayBe && channel.settings().retries().attemptTimeout() != null;
  }

  /**
   * Returns whether another server may take a call that this one did not. During a rollout, some
   * servers serve a method, or a form of it, that others do not.
   */
  static boolean mayMove(RpcException failure) {
    return neverCame(failure)
        || (failure.execution() == Execution.NOT_EXECUTED
            && (failure.status() == RpcStatus.UNIMPLEMENTED
                || failure.status() == RpcStatus.INCOMPATIBLE));
  }

  private static boolean neverCame(RpcException failure) {
    return failure.execution() == Execution.NOT_EXECUTED
        && (failure.status() == RpcStatus.UNAVAILABLE
            || (failure.phase() == CallPhase.QUEUED && failure.mayRetry()));
  }

  private long delay(int failures, long left) {
    ChannelSettings settings = channel.settings();
    long delay = settings.retries().delay().nanos(failures, settings.random());
    return delay < left ? delay : GIVE_UP;
  }

  /** Returns a server for a hedge, within the budget; null if there is none. */
  @Nullable Member hedge() {
    Member other = channel.members().other(again(), tried);
    if (other == null || !channel.takeToken()) {
      return null;
    }
    channel.counters().hedges.increment();
    return other;
  }

  /** Returns the failure of a call that found no server. */
  RpcException noServer(String why, boolean closed) {
    RpcException known = last;
    if (closed) {
      return outcome(failure(RpcStatus.UNAVAILABLE, why).forGood());
    }
    channel.counters().unserved.increment();
    return outcome(known != null ? known : failure(RpcStatus.UNAVAILABLE, why));
  }

  /** Returns the failure of a call whose deadline passed before a server was ready. */
  RpcException late() {
    channel.counters().unserved.increment();
    RpcException known = last;
    String why = "no server was ready in time: " + channel.members().why();
    return known == null ? failure(RpcStatus.DEADLINE_EXCEEDED, why) : outcome(known);
  }

  /** Returns the failure of a call that was not sent. */
  RpcException failure(RpcStatus status, String why) {
    return failure(status, why, CallPhase.QUEUED);
  }

  /** Returns the failure of a call in this phase. A call that was sent may have been executed. */
  RpcException failure(RpcStatus status, String why, CallPhase phase) {
    String text =
        "%s failed %s: %s: %s".formatted(call.method().fullName(), phase.words(), status, why);
    Execution execution = phase == CallPhase.QUEUED ? Execution.NOT_EXECUTED : Execution.UNKNOWN;
    return new RpcException(status, text, phase, execution, call.method().idempotent(), null, null);
  }
}
