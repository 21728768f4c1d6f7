package io.verbena.core.session;

import io.verbena.api.Execution;
import io.verbena.api.RpcStatus;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.wire.WireException;
import io.verbena.core.bulk.OpenSource;
import io.verbena.core.call.ServerCall;
import io.verbena.core.codec.WireDecoder;
import io.verbena.core.frame.CallFrames;
import io.verbena.core.frame.FrameKind;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The calls that the peer has under way here. */
final class IncomingCalls {
  private static final Logger LOG = LoggerFactory.getLogger(IncomingCalls.class);
  private static final int MOST_REUSABLE = 64;

  private final SessionCore session;
  private final LocalServices services;
  private final Long2ObjectHashMap<ServerCall> calls = new Long2ObjectHashMap<>();
  private final ArrayDeque<ServerCall> reusable = new ArrayDeque<>();

  /** The call whose handler runs on the loop right now: nobody can ask for it meanwhile. */
  private @Nullable ServerCall running;

  private int onewaysDone;

  IncomingCalls(SessionCore session, LocalServices services) {
    this.session = session;
    this.services = services;
  }

  boolean isEmpty() {
    return calls.isEmpty();
  }

  int size() {
    return calls.size();
  }

  /** Dispatches one request; returns how the peer broke the protocol, or null. */
  @Nullable String request(FrameKind kind, long callId, ByteBuffer buffer, int from, int to) {
    if (to - from <= CallFrames.FIXED_BYTES) {
      return "a request without a method";
    }
    if (calls.size() >= session.limits().maxCalls()) {
      return "more than " + session.limits().maxCalls() + " calls at once";
    }
    if (calls.containsKey(callId)) {
      return "call " + callId + " twice";
    }
    session.transfers().calls().requested(callId);
    long left = CallFrames.remainingNanos(buffer, from);
    LocalServices.Served service = services.get(CallFrames.service(buffer, from));
    WireDecoder in = session.decoder();
    in.start(buffer, from + CallFrames.FIXED_BYTES, to, session.limits().maxDepth());
    int methodId = in.readVarInt();
    MethodDescriptor<?> method = service == null ? null : service.methods().get(methodId);
    if (service == null || method == null || method.oneway() != (kind == FrameKind.ONEWAY)) {
      refuse(kind, callId, RpcStatus.UNIMPLEMENTED, unimplemented(service, methodId));
    } else if (!session.mayServe()) {
      refuse(kind, callId, RpcStatus.UNAVAILABLE, rdmaRequired());
    } else if (left == 0) {
      refuse(kind, callId, RpcStatus.DEADLINE_EXCEEDED, "the deadline had passed on arrival");
    } else if (session.outbox().owedBytes() > session.limits().maxKeptBytes()) {
      refuse(kind, callId, RpcStatus.RESOURCE_EXHAUSTED, "too many replies are unacknowledged");
    } else {
      dispatch(service, newCall(method, callId, session.loop().now() + left), in);
    }
    return null;
  }

  private String rdmaRequired() {
    return "the peer requires RDMA, and this session is on "
        + session.path()
        + " there; a client that sets REQUIRE_RDMA too waits for it before it calls";
  }

  private String unimplemented(LocalServices.@Nullable Served service, int methodId) {
    return service == null
        ? "the peer serves " + services.names() + ", not this service"
        : "service %s has no such method %d: the peer's contract is older"
            .formatted(service.binding().service().name(), methodId);
  }

  private ServerCall newCall(MethodDescriptor<?> method, long callId, long deadline) {
    ServerCall call = method.nonBlocking() ? reusable.pollLast() : null;
    if (call == null) {
      return new ServerCall(session, method, callId, deadline);
    }
    call.reuse(method, callId, deadline);
    return call;
  }

  private void dispatch(LocalServices.Served service, ServerCall call, WireDecoder in) {
    if (call.method().nonBlocking()) {
      running = call;
    } else {
      calls.put(call.id(), call);
    }
    try {
      service.binding().dispatcher().dispatch(call.method(), in, call);
    } catch (WireException e) {
      refuseUndecoded(
          call, RpcStatus.INVALID_ARGUMENT, "the arguments do not decode: " + e.getMessage());
    } catch (Throwable e) {
      // Whatever a type of the user's own does to what the peer sent: it ends this call alone.
      LOG.debug("Dispatching {} failed", call.method(), e);
      refuseUndecoded(call, RpcStatus.INVALID_ARGUMENT, "the arguments are refused: " + e);
    }
  }

  private void refuseUndecoded(ServerCall call, RpcStatus status, String message) {
    if (!call.isHandled()) {
      call.fail(status, Execution.NOT_EXECUTED, "", message);
      replied(call);
    }
  }

  /** Answers a call that was not dispatched, or notes that it is over. */
  void refuse(FrameKind kind, long callId, RpcStatus status, String message) {
    if (kind == FrameKind.ONEWAY) {
      LOG.warn("A one-way call from {} was dropped: {}", session.peer().address(), message);
      onewayDone();
    } else {
      refuse(callId, status, message);
    }
  }

  /** Answers a call that was not dispatched. */
  void refuse(long callId, RpcStatus status, String message) {
    session.enqueue(
        ControlFrame.message(
            FrameKind.FAILURE,
            callId,
            out -> {
              out.writeByte(status.code());
              out.writeByte(Execution.NOT_EXECUTED.code());
              out.writeString("");
              out.writeString(message);
            }));
  }

  /** A handler is done and its reply encoded. */
  void replied(ServerCall call) {
    call.close();
    boolean awaited = takeOut(call);
    if (call.method().oneway()) {
      call.discard();
      reusable(call);
      if (awaited) {
        onewayDone();
      }
    } else if (awaited) {
      OpenSource answer = call.takeAnswer();
      if (answer != null) {
        session.transfers().calls().answer(call.id(), call.method().fullName(), answer);
      }
      session.enqueue(call);
    } else {
      call.discard(); // its session is gone
    }
  }

  /** Returns whether the call was still here. */
  private boolean takeOut(ServerCall call) {
    if (running == call) {
      running = null;
      return true;
    }
    return calls.get(call.id()) == call && calls.remove(call.id()) != null;
  }

  /** Gives the peer's window a place back; many at a time, since nobody waits for one. */
  void onewayDone() {
    onewaysDone++;
    if (onewaysDone >= session.limits().maxCalls() / 8) {
      tellOnewaysDone();
    }
  }

  /** Tells the peer of the one-way calls done so far. */
  void tellOnewaysDone() {
    if (onewaysDone > 0) {
      int done = onewaysDone;
      onewaysDone = 0;
      session.enqueue(ControlFrame.message(FrameKind.ONEWAY_DONE, 0, out -> out.writeVarInt(done)));
    }
  }

  void reusable(ServerCall call) {
    if (call.method().nonBlocking() && reusable.size() < MOST_REUSABLE) {
      reusable.addLast(call);
    }
  }

  @Nullable String cancel(long callId) {
    ServerCall call = calls.get(callId);
    if (call != null) {
      call.cancel();
    }
    return null;
  }

  /** Nobody waits for these calls any more. */
  void peerLost() {
    onewaysDone = 0;
    List<ServerCall> orphans = new ArrayList<>(calls.values());
    if (running != null) {
      orphans.add(running);
    }
    running = null;
    calls.clear();
    orphans.forEach(ServerCall::cancel);
  }
}
