package io.verbena.verbs.fabric;

import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.Layouts;
import io.verbena.verbs.ext.QpState;
import io.verbena.verbs.ext.SendBlock;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.WcStatus;

/**
 * The send side of a queue pair. It carries requests out at the peer in order (pump), and completes
 * them when their acknowledgements arrive (ack). Repeats and failures follow the specification.
 * Guarded by the fabric's lock; allocates nothing.
 */
final class Requester {
  /** Longer than a message and its answer take. */
  private static final long LATE_BIND_NANOS = 1_000_000;

  private final FabricQp qp;
  private final SendQueue queue;
  private final boolean signalsAll;
  private final Fabric fabric;
  private final Timer pump = new Timer(this::pump);
  private final Timer ack = new Timer(this::ack);
  private int outstandingReads;
  private int repeats;
  private int rnrRepeats;
  private boolean failed;

  Requester(FabricQp qp, SendQueue queue, boolean signalsAll) {
    this.qp = qp;
    this.queue = queue;
    this.signalsAll = signalsAll;
    fabric = qp.device.fabric;
  }

  int capacity() {
    return queue.capacity();
  }

  int post(SendBlock block, int first, int count) throws VerbsException {
    block.chain(first, count);
    Tally tally = qp.device.host.tally;
    tally.sendPosts++;
    int posted = 0;
    while (posted < count && !queue.isFull()) {
      check(block, first + posted);
      SendRequest request = queue.at(queue.posted);
      request.load(block.address(first + posted), qp);
      if (request.hasImmediate()) {
        request.immediate = qp.device.host.forged(request.immediate);
      }
      tally.request(request.opcode, request.pieces.length());
      queue.posted++;
      posted++;
      qp.device.host.watcher.posted(request.opcode);
      if (request.has(SendFlags.INLINE)) {
        qp.device.host.watcher.postedInline(request.pieces.length());
      }
    }
    if (qp.state() == QpState.ERR) {
      if (!qp.behaves(DeviceBehaviour.DROPS_LATE_REQUESTS)) {
        flush();
      }
    } else if (fabric.temper.synchronous() && !pump.pending) {
      pump();
    } else {
      schedulePump();
    }
    return posted;
  }

  private void check(SendBlock block, int index) throws VerbsException {
    int opcode = FabricMemory.getInt(block.address(index) + Layouts.SEND_WR_OPCODE);
    int flags = FabricMemory.getInt(block.address(index) + Layouts.SEND_WR_FLAGS);
    boolean inline = (flags & SendFlags.INLINE) != 0;
    if (opcode < 0 || opcode > SendOpcode.SEND_WITH_INV || !supports(opcode)) {
      throw refused(SendOpcode.name(opcode) + " is not supported by this device");
    }
    if (block.sgeCount(index) > qp.maxSendSges) {
      throw refused("a request has more pieces than the " + qp.maxSendSges + " of its queue");
    }
    boolean sends = opcode <= SendOpcode.SEND_WITH_IMM || opcode == SendOpcode.SEND_WITH_INV;
    if (inline && (!sends || length(block, index) > qp.maxInline)) {
      throw refused("an inline request is a send or write of at most " + qp.maxInline + " bytes");
    }
  }

  private boolean supports(int opcode) {
    DeviceProfile profile = qp.device.host.profile;
    return switch (opcode) {
      case SendOpcode.RDMA_WRITE_WITH_IMM -> profile.writeWithImmediate();
      case SendOpcode.BIND_MW ->
          profile.makesWindows() && !profile.has(DeviceBehaviour.REFUSES_BINDS);
      default -> true;
    };
  }

  private static long length(SendBlock block, int index) {
    long sum = 0;
    for (int i = 0; i < block.sgeCount(index); i++) {
      sum += Integer.toUnsignedLong(block.sgeLength(index, i));
    }
    return sum;
  }

  private static VerbsException refused(String why) {
    return new VerbsException("ibv_post_send", Errno.EINVAL, why + ".");
  }

  /** Frees a slot and all earlier ones, after a poll has read the slot's completion. */
  void polled(long index) {
    queue.freed = Math.max(queue.freed, index + 1);
  }

  void restart() {
    schedulePump();
  }

  void stop() {
    fabric.cancel(pump);
    fabric.cancel(ack);
  }

  void clear() {
    stop();
    queue.freed = queue.posted;
    queue.acked = queue.posted;
    queue.sent = queue.posted;
    outstandingReads = 0;
    failed = false;
  }

  /** Completes all remaining requests with an error, in the state ERR. */
  void flush() {
    stop();
    while (queue.acked < queue.posted) {
      SendRequest request = queue.at(queue.acked);
      boolean failedItself = queue.acked < queue.sent && request.status != WcStatus.SUCCESS;
      if (!failedItself && qp.behaves(DeviceBehaviour.NEVER_FLUSHES)) {
        queue.acked = queue.posted;
        queue.freed = queue.posted;
      } else {
        complete(request, failedItself ? request.status : WcStatus.WR_FLUSH_ERR);
      }
    }
    queue.sent = queue.posted;
    outstandingReads = 0;
  }

  private void schedulePump() {
    if (!pump.pending && !failed && queue.sent < queue.posted && qp.state() == QpState.RTS) {
      fabric.at(fabric.nanoTime() + fabric.latency() + delay(), pump);
    }
  }

  private void scheduleAck() {
    if (!ack.pending && queue.acked < queue.sent) {
      long more = isBindDue() ? LATE_BIND_NANOS : 0;
      fabric.at(fabric.nanoTime() + fabric.latency() + delay() + more, ack);
    }
  }

  /** Returns whether the next to complete is a bind that takes its time. */
  private boolean isBindDue() {
    SendRequest request = queue.at(queue.acked);
    return request.late && request.isLocal();
  }

  private long delay() {
    return qp.terms().link().delayNanos;
  }

  /** Carries out some requests. */
  private void pump() {
    int budget = fabric.temper.synchronous() ? Integer.MAX_VALUE : fabric.batch();
    while (budget-- > 0 && queue.sent < queue.posted && !failed) {
      SendRequest request = queue.at(queue.sent);
      if (mustWait(request)) {
        break; // ack() goes on
      }
      FabricAdapter adapter = qp.device.adapter;
      if (adapter.busyUntil() > fabric.nanoTime()) {
        fabric.at(adapter.busyUntil(), pump);
        break;
      }
      int outcome = carryOut(request);
      if (outcome == Responder.RECEIVER_NOT_READY) {
        repeatWhenReady(request);
        break;
      }
      if (outcome == Responder.NO_ANSWER) {
        repeatOnTimeout(request, pump);
        break;
      }
      repeats = 0;
      rnrRepeats = 0;
      sent(request, outcome);
    }
    if (fabric.temper.synchronous() && !ack.pending && !isBindDue()) {
      ack();
    } else {
      scheduleAck();
      if (queue.sent == queue.posted || !mustWait(queue.at(queue.sent))) {
        schedulePump();
      }
    }
  }

  private boolean mustWait(SendRequest request) {
    boolean fenced = request.has(SendFlags.FENCE) && outstandingReads > 0;
    boolean tooMany =
        request.isReadOrAtomic()
            && outstandingReads > 0
            && outstandingReads >= qp.terms().maxReadAtomic();
    return fenced || tooMany;
  }

  private int carryOut(SendRequest request) {
    if (request.has(SendFlags.FENCE) || request.opcode == SendOpcode.LOCAL_INV) {
      bindNow();
    }
    if (request.isLocal()) {
      request.late = request.opcode == SendOpcode.BIND_MW && qp.behaves(DeviceBehaviour.BINDS_LATE);
      if (request.late) {
        return WcStatus.SUCCESS;
      }
      return Responder.carryOutLocally(qp, request);
    }
    if (!Responder.mayUseOwnMemory(qp, request)) {
      return WcStatus.LOC_PROT_ERR;
    }
    if (request.isReadOrAtomic() && qp.terms().maxReadAtomic() == 0) {
      return WcStatus.LOC_QP_OP_ERR;
    }
    if (request.isAtomic() && request.pieces.length() < Long.BYTES) {
      return WcStatus.LOC_LEN_ERR;
    }
    FabricQp target = qp.reach();
    if (target == null) {
      return Responder.NO_ANSWER;
    }
    if (qp.mustHearFirst()) {
      target.enterError();
      return WcStatus.GENERAL_ERR;
    }
    if (qp.device.host.failsRequest()) {
      return WcStatus.GENERAL_ERR;
    }
    request.late = request.opcode == SendOpcode.RDMA_READ && fabric.readsLate();
    return request.late
        ? Responder.admitRead(target, request)
        : Responder.carryOut(target, request);
  }

  /** Carries out the binds that wait for their completion. */
  private void bindNow() {
    for (long index = queue.acked; index < queue.sent; index++) {
      bind(queue.at(index));
    }
  }

  private void bind(SendRequest request) {
    if (request.late && request.isLocal() && request.status == WcStatus.SUCCESS) {
      request.late = false;
      request.status = Responder.carryOutLocally(qp, request);
    }
  }

  /** Copies the data of an admitted READ. Access to the memory may have been revoked meanwhile. */
  private int finishRead(SendRequest request) {
    FabricQp target = qp.reach();
    if (target == null) {
      return Responder.NO_ANSWER;
    }
    return Responder.mayUseOwnMemory(qp, request)
        ? Responder.carryOut(target, request)
        : WcStatus.LOC_PROT_ERR;
  }

  private void sent(SendRequest request, int status) {
    request.status = status;
    queue.sent++;
    if (request.isReadOrAtomic()) {
      outstandingReads++;
    }
    failed = status != WcStatus.SUCCESS;
    RequestWatcher watcher = qp.device.host.watcher;
    if (!failed && !request.isLocal()) {
      qp.device.adapter.carry(request.pieces.length(), fabric.nanoTime());
      watcher.carriedOut(request.opcode, request.pieces.length());
    } else if (failed && status != WcStatus.RETRY_EXC_ERR) {
      watcher.refused(request.opcode, status);
    }
  }

  private void repeatWhenReady(SendRequest request) {
    qp.device.host.watcher.refused(request.opcode, WcStatus.RNR_RETRY_EXC_ERR);
    ConnectionTerms terms = qp.terms();
    if (!terms.retriesRnrForEver() && rnrRepeats++ >= terms.rnrRetries()) {
      sent(request, WcStatus.RNR_RETRY_EXC_ERR);
      return;
    }
    FabricQp target = qp.reach();
    int code = target == null ? 0 : target.minRnrTimer();
    fabric.at(fabric.nanoTime() + ConnectionTerms.rnrWaitNanos(code), pump);
  }

  private void repeatOnTimeout(SendRequest request, Timer timer) {
    long wait = qp.terms().ackTimeoutNanos();
    if (wait == Long.MAX_VALUE) {
      return; // the terms say to wait for ever
    }
    boolean behind = timer == pump && queue.acked < queue.sent; // the oldest request alone is timed
    if (behind || repeats++ < qp.terms().retries()) {
      fabric.at(fabric.nanoTime() + wait, timer);
    } else if (timer == pump) {
      sent(request, WcStatus.RETRY_EXC_ERR);
    } else {
      request.status = WcStatus.RETRY_EXC_ERR;
      failed = true;
      fabric.at(fabric.nanoTime() + wait, timer);
    }
  }

  /** Completes some of the executed requests, in order. */
  private void ack() {
    int budget = fabric.temper.synchronous() ? Integer.MAX_VALUE : fabric.batch();
    while (budget-- > 0 && queue.acked < queue.sent) {
      SendRequest request = queue.at(queue.acked);
      bind(request);
      boolean answered = request.isLocal() || request.status != 0 || qp.terms().link().carries();
      if (answered && request.late && request.status == WcStatus.SUCCESS) {
        request.status = finishRead(request);
        answered = request.status != Responder.NO_ANSWER;
      }
      if (!answered) {
        request.status = WcStatus.SUCCESS;
        repeatOnTimeout(request, ack);
        return;
      }
      if (request.isReadOrAtomic()) {
        outstandingReads--;
      }
      complete(request, request.status);
      if (request.status != WcStatus.SUCCESS) {
        qp.enterError();
        return;
      }
    }
    scheduleAck();
    schedulePump();
  }

  private void complete(SendRequest request, int status) {
    long index = queue.acked++;
    if (!fabric.temper.slotsUntilPolled()) {
      queue.freed = queue.acked;
    }
    boolean signalled = signalsAll || request.has(SendFlags.SIGNALED);
    if (!signalled && status == WcStatus.SUCCESS) {
      return;
    }
    Completion completion = qp.sendCq.next(qp);
    if (completion != null) {
      completion.wrId = request.wrId;
      completion.status = status;
      completion.opcode = request.completionOpcode();
      completion.byteLength = (int) request.pieces.length();
      completion.immediate = 0;
      completion.flags = 0;
      completion.solicited = false;
      completion.sendIndex = index;
      qp.sendCq.enter();
    }
  }
}
