package io.verbena.rdma.link;

import io.verbena.rdma.wire.WorkId;
import io.verbena.verbs.ext.CompletionBlock;
import io.verbena.verbs.ext.WcOpcode;
import io.verbena.verbs.ext.WcStatus;
import java.io.IOException;

/** Takes each completion of a link's requests to the side whose request it was. On the loop. */
final class CompletionRouter {
  private final LinkLife life;
  private final LinkFaults faults;
  private final SendSide sends;
  private final ReceiveSide receives;
  private final RdmaBulk bulk;
  private final Ending ending;

  CompletionRouter(
      LinkLife life,
      LinkFaults faults,
      SendSide sends,
      ReceiveSide receives,
      RdmaBulk bulk,
      Ending ending) {
    this.life = life;
    this.faults = faults;
    this.sends = sends;
    this.receives = receives;
    this.bulk = bulk;
    this.ending = ending;
  }

  void completed(long workId, CompletionBlock block, int index) {
    int slot = WorkId.slot(workId);
    switch (WorkId.kind(workId)) {
      case WorkId.RECEIVE, WorkId.SHARED_RECEIVE -> received(slot, block, index);
      case WorkId.SEND -> sent(slot, block.status(index));
      case WorkId.LAST_SEND -> ending.lastSendCompleted();
      default -> throw new AssertionError("no request is called " + workId);
    }
    life.becomeDue();
  }

  private void received(int slot, CompletionBlock block, int index) {
    String wrong;
    try {
      int status = block.status(index);
      if (status != WcStatus.SUCCESS) {
        receives.flushed(slot);
        faults.receiveFailed(status);
        return;
      }
      int length = block.byteLength(index);
      wrong =
          block.opcode(index) == WcOpcode.RECV_RDMA_WITH_IMM
              ? receives.immediate(slot, block.immediate(index), length, bulk)
              : receives.arrived(life, slot, length, bulk);
    } catch (IOException e) {
      faults.postingFailed(e);
      return;
    }
    if (wrong != null) {
      faults.peerBrokeRules(wrong);
    }
  }

  private void sent(int place, int status) {
    if (status != WcStatus.SUCCESS) {
      faults.requestFailed(status);
      return;
    }
    boolean isLatest = sends.completed(place);
    if (life.isClosing() && isLatest) {
      life.drain();
    }
  }
}
