package io.verbena.verbs.fabric;

import io.verbena.verbs.ext.Layouts;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.WcOpcode;

/** A slot of a send queue. Reused; guarded by the fabric's lock. */
final class SendRequest {
  final ScatterList pieces;
  private final long inlineSpace;
  long wrId;
  int opcode;
  int flags;

  /** The immediate in network byte order, or an rkey to invalidate, as in memory. */
  int immediate;

  long remoteAddress;
  int rkey;
  long compareAdd;
  long swap;
  long window;
  long region;
  long bindAddress;
  long bindLength;
  int bindRkey;
  int bindAccess;

  /** The status after the request was carried out. */
  int status;

  /** Whether it is a READ that copies its data, or a bind that takes effect, when it completes. */
  boolean late;

  SendRequest(int maxSges, long inlineSpace) {
    pieces = new ScatterList(maxSges);
    this.inlineSpace = inlineSpace;
  }

  void load(long request, FabricQp qp) {
    wrId = FabricMemory.getLong(request);
    opcode = FabricMemory.getInt(request + Layouts.SEND_WR_OPCODE);
    flags = FabricMemory.getInt(request + Layouts.SEND_WR_FLAGS);
    immediate = FabricMemory.getInt(request + Layouts.SEND_WR_IMMEDIATE);
    remoteAddress = FabricMemory.getLong(request + Layouts.SEND_WR_REMOTE_ADDRESS);
    status = 0;
    late = false;
    if (qp.behaves(DeviceBehaviour.IGNORES_INLINE)) {
      flags &= ~SendFlags.INLINE;
    }
    if (isAtomic()) {
      compareAdd = FabricMemory.getLong(request + Layouts.SEND_WR_COMPARE_ADD);
      swap = FabricMemory.getLong(request + Layouts.SEND_WR_SWAP);
      rkey = FabricMemory.getInt(request + Layouts.SEND_WR_ATOMIC_RKEY);
    } else {
      rkey = FabricMemory.getInt(request + Layouts.SEND_WR_RDMA_RKEY);
    }
    if (opcode == SendOpcode.BIND_MW) {
      loadBinding(request);
    }
    pieces.load(request);
    if (opcode == SendOpcode.RDMA_WRITE
        && !has(SendFlags.INLINE)
        && qp.behaves(DeviceBehaviour.SENDS_FIRST_PIECE)) {
      pieces.loadFirst(request);
    }
    if (has(SendFlags.INLINE)) {
      pieces.gatherInline(inlineSpace);
    }
  }

  private void loadBinding(long request) {
    window = FabricMemory.getLong(request + Layouts.SEND_WR_BIND_MW);
    bindRkey = FabricMemory.getInt(request + Layouts.SEND_WR_BIND_RKEY);
    region = FabricMemory.getLong(request + Layouts.SEND_WR_BIND_MR);
    bindAddress = FabricMemory.getLong(request + Layouts.SEND_WR_BIND_ADDRESS);
    bindLength = FabricMemory.getLong(request + Layouts.SEND_WR_BIND_LENGTH);
    bindAccess = FabricMemory.getInt(request + Layouts.SEND_WR_BIND_ACCESS);
  }

  boolean has(int flag) {
    return (flags & flag) != 0;
  }

  boolean isAtomic() {
    return opcode == SendOpcode.ATOMIC_CMP_AND_SWP || opcode == SendOpcode.ATOMIC_FETCH_AND_ADD;
  }

  /**
   * Returns whether the request has a result. Such requests count against the limit and a fence.
   */
  boolean isReadOrAtomic() {
    return opcode == SendOpcode.RDMA_READ || isAtomic();
  }

  /** Returns whether the request never leaves this side. */
  boolean isLocal() {
    return opcode == SendOpcode.LOCAL_INV || opcode == SendOpcode.BIND_MW;
  }

  boolean isSend() {
    return opcode == SendOpcode.SEND
        || opcode == SendOpcode.SEND_WITH_IMM
        || opcode == SendOpcode.SEND_WITH_INV;
  }

  boolean hasImmediate() {
    return opcode == SendOpcode.SEND_WITH_IMM || opcode == SendOpcode.RDMA_WRITE_WITH_IMM;
  }

  int completionOpcode() {
    return switch (opcode) {
      case SendOpcode.RDMA_WRITE, SendOpcode.RDMA_WRITE_WITH_IMM -> WcOpcode.RDMA_WRITE;
      case SendOpcode.RDMA_READ -> WcOpcode.RDMA_READ;
      case SendOpcode.ATOMIC_CMP_AND_SWP -> WcOpcode.COMP_SWAP;
      case SendOpcode.ATOMIC_FETCH_AND_ADD -> WcOpcode.FETCH_ADD;
      case SendOpcode.LOCAL_INV -> WcOpcode.LOCAL_INV;
      case SendOpcode.BIND_MW -> WcOpcode.BIND_MW;
      default -> WcOpcode.SEND;
    };
  }
}
