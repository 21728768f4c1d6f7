package io.verbena.core.call;

import io.verbena.api.RpcException;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.core.SessionLimits;
import io.verbena.core.bulk.parts.LargeValuesOut;
import io.verbena.core.bulk.transfer.CallTransfers;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.sequence.Outgoing;
import io.verbena.link.memory.Quota;
import io.verbena.link.memory.SlotPool;
import io.verbena.link.memory.SlotShare;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What calls need of their session. */
public interface CallHost {
  /** A call that waited for its landing to be free of a peer that is gone may leave. */
  void mayLeave();

  /** Returns the loop that owns the session. Safe for any thread. */
  EventLoop loop();

  /** Returns the session as users see it. Safe for any thread. */
  Session session();

  /** Returns the session's limits. Safe for any thread. */
  SessionLimits limits();

  /** Returns what calls and handlers pass. Safe for any thread. */
  Interceptors interceptors();

  /** Returns where small messages are encoded. Safe for any thread. */
  SlotPool slots();

  /** Returns the slots that this session's callers may have. Safe for any thread. */
  SlotShare slotShare();

  /**
   * Runs code of the user's as handlers run; where their executor takes nothing, on a thread of its
   * own, as soon as there is one. Safe for any thread.
   */
  void runUsers(Runnable users);

  /** A stream of the peer's has ended, or a call that might have had one. Safe for any thread. */
  void streamEnded();

  /**
   * Runs what has to wait on a thread of its own. Safe for any thread.
   *
   * @param failed hears why there is none, or what it threw
   */
  void runWaiting(Runnable task, Consumer<Throwable> failed);

  /** Returns the window of calls under way. Safe for any thread. */
  CallWindow window();

  /** Returns the streams of the session's calls. Safe for any thread. */
  SessionStreams streams();

  /** Returns the count of the streams that this session and its sisters send. */
  AtomicInteger streamsSent();

  /** Starts a call that its caller has encoded. On the loop. */
  void start(PendingCall<?> call);

  /** A call that was started has come to its end, but for its reply's arrival. On the loop. */
  void abandoned(PendingCall<?> call);

  /**
   * Returns why there is no link to send calls over, in words; null if there is one. On the loop.
   */
  @Nullable String obstacle();

  /** Returns the highest sequence number acknowledged by the peer. On the loop. */
  long lastAcknowledged();

  /** Sends a message behind all others. On the loop. */
  void enqueue(Outgoing message);

  /** Returns what the peer's items may take. Safe for any thread. */
  Quota.Share arrivalMemory();

  /** Returns what replies may take until the peer has taken them. Safe for any thread. */
  Quota.Share replyMemory();

  /** From now on a call of the peer's is over at its deadline. On the loop. */
  void awaitDeadline(ServerCall call);

  /** Returns whether a call's handler may start now; else the host starts it later. On the loop. */
  boolean mayStart(ServerCall call);

  /** Returns whether a handler that has started may run now. On the handler's thread. */
  boolean mayRun(ServerCall call);

  /** A handler may not run now: the host starts it again later. On the loop. */
  void putOff(ServerCall call);

  /** A handler's reply is in its slot: sends it and forgets the call. On the loop. */
  void replied(ServerCall call);

  /** A call whose handler ran on the loop is over, and its object free. On the loop. */
  void reusable(ServerCall call);

  /** Opens where the answer to a call goes, before its request is sent. On the loop. */
  CallTransfers.AwaitedAnswer awaitAnswer(LandingCall call, Landing into);

  /**
   * Returns the longest message that both ends take, as far as it is known. Safe for any thread.
   */
  int longestMessage();

  /** Returns from how many bytes on values travel beside their message. Safe for any thread. */
  long partCutOff();

  /**
   * Returns what makes room for such values of a call. Safe for any thread.
   *
   * @param borrows whether the caller waits until they are not read any more
   */
  Supplier<LargeValuesOut> parts(boolean borrows);

  /** Returns what makes room for such values of a reply. Safe for any thread. */
  Supplier<LargeValuesOut> resultParts();

  /** Sends the values beside a message of a call. On the loop. */
  void sendParts(long callId, MethodDescriptor<?> method, boolean request, LargeValuesOut parts);

  /** A one-way call has left. On the loop. */
  void onewaySent(PendingCall<?> call);

  /** A one-way call will not leave, and nobody waits to hear that. On the loop. */
  void onewayUnsent(RpcException failure);

  /** Has a call's handler run on the executor, in its turn. On the loop. */
  void execute(ServerCall call);
}
