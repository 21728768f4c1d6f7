package io.verbena.channel;

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
 * Where one call has been, and whether it is made again. For one thread at a time.
 *
 * <p>What was surely not executed, since a server shuts down, could not be reached or does not
 * serve the method, moves to another at once: each server at most once. Two moves cost nothing, and
 * each further one takes a token of the budget: where every server refuses, a call would be made as
 * often as there are servers. Whatever else may be made again waits, takes a token, and counts as
 * an attempt.
 */
final class CallPlan {
  /** The call has failed for good. */
  static final long GIVE_UP = -1;

  /** So many take nothing of the budget: a server that goes, and another that has just gone. */
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

  /** It goes to a server where it was not yet, be it one that is left out. */
  private boolean moves;

  private @Nullable RpcException last;

  /** The first failure after which the call may have been executed. */
  private @Nullable RpcException unsure;

  /**
   * A call that begins now.
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
    return new Balancer.Outgoing(call.method(), call.metadata(), true);
  }

  /** An attempt begins. */
  void begins(Member member) {
    if (tried.isEmpty()) {
      tried = new HashSet<>();
    }
    tried.add(member);
    begun++;
    member.begin();
  }

  /** Returns whether the next attempt has another time limit than the stub, or another number. */
  boolean differs() {
    return isLimited() || waited || !tried.isEmpty() || last != null;
  }

  /** Returns the number of the attempt that begins next, from 1: moves and hedges count too. */
  int nextAttempt() {
    return begun + 1;
  }

  /** An attempt has failed there; returns its failure with the server's name in its words. */
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
      return met; // an interceptor's of this end: no server is at fault
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
   * Returns what the call fails with, where its last attempt met this: that it was not executed is
   * said only if none of them was.
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
   * @param failure which was {@link #met} last
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

  /** Returns whether a call is made again that had this failure: it is safe, and may help. */
  boolean mayRetry(RpcException failure) {
    boolean asked = channel.settings().retries().alsoAfter().contains(failure.status());
    boolean cutShort = failure.status() == RpcStatus.DEADLINE_EXCEEDED && isLimited();
    boolean safe = failure.execution() == Execution.NOT_EXECUTED || call.method().idempotent();
    return failure.mayRetry() || ((asked || cutShort) && safe);
  }

  /**
   * Returns how long the next attempt may take: to the call's deadline, or, where the call is
   * idempotent, no longer than an attempt may.
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
   * Returns whether another server may take what this one did not: where a new version is being
   * rolled out, some serve a method, or a shape of it, that others do not.
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

  /** Returns a server for a hedge, within the budget; null: none. */
  @Nullable Member hedge() {
    Member other = channel.members().other(again(), tried);
    if (other == null || !channel.takeToken()) {
      return null;
    }
    channel.counters().hedges.increment();
    return other;
  }

  /** Returns how the call fails for want of a server. */
  RpcException noServer(String why, boolean closed) {
    RpcException known = last;
    if (closed) {
      return outcome(failure(RpcStatus.UNAVAILABLE, why).forGood());
    }
    channel.counters().unserved.increment();
    return outcome(known != null ? known : failure(RpcStatus.UNAVAILABLE, why));
  }

  /** Returns how the call fails where its deadline passes before a server is ready. */
  RpcException late() {
    channel.counters().unserved.increment();
    RpcException known = last;
    String why = "no server was ready in time: " + channel.members().why();
    return known == null ? failure(RpcStatus.DEADLINE_EXCEEDED, why) : outcome(known);
  }

  /** Returns how the call fails before it was sent. */
  RpcException failure(RpcStatus status, String why) {
    return failure(status, why, CallPhase.QUEUED);
  }

  /** Returns how the call fails that has come so far: what was sent may have been executed. */
  RpcException failure(RpcStatus status, String why, CallPhase phase) {
    String text =
        "%s failed %s: %s: %s".formatted(call.method().fullName(), phase.words(), status, why);
    Execution execution = phase == CallPhase.QUEUED ? Execution.NOT_EXECUTED : Execution.UNKNOWN;
    return new RpcException(status, text, phase, execution, call.method().idempotent(), null, null);
  }
}
