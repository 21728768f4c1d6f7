package io.verbena.verbs.fabric;

import static io.verbena.verbs.ext.WcStatus.LOC_ACCESS_ERR;
import static io.verbena.verbs.ext.WcStatus.LOC_LEN_ERR;
import static io.verbena.verbs.ext.WcStatus.LOC_PROT_ERR;
import static io.verbena.verbs.ext.WcStatus.LOC_QP_OP_ERR;
import static io.verbena.verbs.ext.WcStatus.MW_BIND_ERR;
import static io.verbena.verbs.ext.WcStatus.REM_ACCESS_ERR;
import static io.verbena.verbs.ext.WcStatus.REM_INV_REQ_ERR;
import static io.verbena.verbs.ext.WcStatus.REM_OP_ERR;
import static io.verbena.verbs.ext.WcStatus.SUCCESS;

import io.verbena.verbs.ext.Access;
import io.verbena.verbs.ext.AsyncEvent;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.WcFlags;
import io.verbena.verbs.ext.WcOpcode;

/**
 * Executes requests at the target queue pair, with all checks that protect it. The result is a
 * status for the requester, or one of the two values that make it repeat. Called under the fabric's
 * lock.
 */
final class Responder {
  /** No receive is posted. */
  static final int RECEIVER_NOT_READY = -1;

  /** The peer does not exist. */
  static final int NO_ANSWER = -2;

  private Responder() {}

  /** Returns whether the requester's pieces may be read, or written with the result. */
  static boolean mayUseOwnMemory(FabricQp qp, SendRequest request) {
    return request.has(SendFlags.INLINE)
        || request.pieces.allowed(qp.domain, request.isReadOrAtomic());
  }

  static int carryOutLocally(FabricQp qp, SendRequest request) {
    if (request.opcode == SendOpcode.LOCAL_INV) {
      return invalidate(qp, request.immediate) ? SUCCESS : LOC_QP_OP_ERR;
    }
    Handles handles = qp.device.handles;
    FabricWindow window = handles.find(request.window, FabricWindow.class);
    FabricMr region = handles.find(request.region, FabricMr.class);
    boolean bound = window != null && region != null && window.bind(qp, region, request);
    return bound ? SUCCESS : MW_BIND_ERR;
  }

  static int carryOut(FabricQp target, SendRequest request) {
    target.heard();
    int status =
        switch (request.opcode) {
          case SendOpcode.SEND, SendOpcode.SEND_WITH_IMM, SendOpcode.SEND_WITH_INV ->
              receive(target, request);
          case SendOpcode.RDMA_WRITE, SendOpcode.RDMA_WRITE_WITH_IMM -> write(target, request);
          case SendOpcode.RDMA_READ -> read(target, request);
          default -> atomic(target, request);
        };
    if (status > SUCCESS) {
      target.enterError();
    }
    return status;
  }

  private static int receive(FabricQp target, SendRequest request) {
    if (target.receives.size() == 0) {
      return RECEIVER_NOT_READY;
    }
    if (request.opcode == SendOpcode.SEND_WITH_INV && !invalidate(target, request.immediate)) {
      return refuse(target, request, REM_ACCESS_ERR);
    }
    ReceiveQueue.Request receive = target.receives.take();
    long length = request.pieces.length();
    if (length > receive.pieces.length()) {
      return failReceive(target, receive, LOC_LEN_ERR, REM_INV_REQ_ERR);
    }
    if (!receive.pieces.allowed(target.domain, true)) {
      return failReceive(target, receive, LOC_PROT_ERR, REM_OP_ERR);
    }
    request.pieces.copyTo(receive.pieces);
    return complete(target, receive, request, length);
  }

  private static int write(FabricQp target, SendRequest request) {
    long length = request.pieces.length();
    if (!target.grants(Access.REMOTE_WRITE)) {
      return refuse(target, request, REM_INV_REQ_ERR);
    }
    boolean keyed = length > 0 || target.behaves(DeviceBehaviour.CHECKS_KEYS_OF_EMPTY_WRITES);
    if (keyed && !allows(target, request, length, Access.REMOTE_WRITE)) {
      return refuse(target, request, REM_ACCESS_ERR);
    }
    boolean withImmediate = request.opcode == SendOpcode.RDMA_WRITE_WITH_IMM;
    if (withImmediate && target.receives.size() == 0) {
      if (target.device.fabric.temper.landsBeforeRnr()) {
        request.pieces.copyTo(request.remoteAddress, length / 2);
      }
      return RECEIVER_NOT_READY;
    }
    request.pieces.copyTo(request.remoteAddress, length);
    return withImmediate ? complete(target, target.receives.take(), request, length) : SUCCESS;
  }

  /** Checks a READ. {@link #carryOut} copies its data later. */
  static int admitRead(FabricQp target, SendRequest request) {
    int status = checkRead(target, request);
    if (status != SUCCESS) {
      target.enterError();
    }
    return status;
  }

  private static int checkRead(FabricQp target, SendRequest request) {
    if (!target.grants(Access.REMOTE_READ)) {
      return refuse(target, request, REM_INV_REQ_ERR);
    }
    long length = request.pieces.length();
    boolean allowed = length == 0 || allows(target, request, length, Access.REMOTE_READ);
    return allowed ? SUCCESS : refuse(target, request, REM_ACCESS_ERR);
  }

  private static int read(FabricQp target, SendRequest request) {
    int status = checkRead(target, request);
    if (status == SUCCESS) {
      request.pieces.copyFrom(request.remoteAddress, request.pieces.length());
    }
    return status;
  }

  private static int atomic(FabricQp target, SendRequest request) {
    if (!target.grants(Access.REMOTE_ATOMIC) || request.remoteAddress % Long.BYTES != 0) {
      return refuse(target, request, REM_INV_REQ_ERR);
    }
    if (!allows(target, request, Long.BYTES, Access.REMOTE_ATOMIC)) {
      return refuse(target, request, REM_ACCESS_ERR);
    }
    long before = FabricMemory.getLong(request.remoteAddress);
    if (request.opcode == SendOpcode.ATOMIC_FETCH_AND_ADD) {
      FabricMemory.putLong(request.remoteAddress, before + request.compareAdd);
    } else if (before == request.compareAdd) {
      FabricMemory.putLong(request.remoteAddress, request.swap);
    }
    request.pieces.putLong(before);
    return SUCCESS;
  }

  /**
   * Reports a refused request to the responder's side, by the receive that it would have consumed,
   * or by an event.
   */
  private static int refuse(FabricQp target, SendRequest request, int status) {
    FabricContext device = target.device;
    boolean takesReceive =
        request.opcode == SendOpcode.RDMA_WRITE_WITH_IMM
            && device.fabric.temper.refusalTakesReceive();
    if (takesReceive && target.receives.size() > 0) {
      return failReceive(target, target.receives.take(), LOC_ACCESS_ERR, status);
    }
    AsyncEvent.Type type =
        status == REM_ACCESS_ERR ? AsyncEvent.Type.QP_ACCESS_ERR : AsyncEvent.Type.QP_REQ_ERR;
    device.raise(new AsyncEvent(type, target, null, null, 0));
    return status;
  }

  private static boolean allows(FabricQp target, SendRequest request, long length, int access) {
    return target.device.keys.allowsRemote(
        target, request.rkey, request.remoteAddress, length, access);
  }

  private static boolean invalidate(FabricQp qp, int rkey) {
    return qp.device.keys.find(rkey) instanceof FabricWindow window && window.invalidate(qp, rkey);
  }

  private static int failReceive(
      FabricQp target, ReceiveQueue.Request receive, int own, int forRequester) {
    if (target.receiveCompletion(receive.wrId, own) != null) {
      target.enterReceiveCompletion();
    }
    return forRequester;
  }

  private static int complete(
      FabricQp target, ReceiveQueue.Request receive, SendRequest request, long length) {
    if (target.isDeliveredLate()) {
      target.deliverLate(
          new FabricQp.Delivery(
              receive.wrId,
              request.isSend() ? WcOpcode.RECV : WcOpcode.RECV_RDMA_WITH_IMM,
              (int) length,
              request.immediate,
              flags(request),
              request.has(SendFlags.SOLICITED)));
      return SUCCESS;
    }
    Completion completion = target.receiveCompletion(receive.wrId, SUCCESS);
    if (completion == null) {
      return REM_OP_ERR; // its completion queue overflowed
    }
    completion.opcode = request.isSend() ? WcOpcode.RECV : WcOpcode.RECV_RDMA_WITH_IMM;
    completion.byteLength = (int) length;
    completion.immediate = request.immediate;
    completion.solicited = request.has(SendFlags.SOLICITED);
    completion.flags = flags(request);
    target.enterReceiveCompletion();
    return SUCCESS;
  }

  private static int flags(SendRequest request) {
    if (request.hasImmediate()) {
      return WcFlags.WITH_IMM;
    }
    return request.opcode == SendOpcode.SEND_WITH_INV ? WcFlags.WITH_INV : 0;
  }
}
