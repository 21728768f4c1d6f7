package io.verbena.verbs.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import io.verbena.verbs.ext.Access;
import io.verbena.verbs.ext.CompletionBlock;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.MemoryWindow;
import io.verbena.verbs.ext.ReceiveBlock;
import io.verbena.verbs.ext.SendBlock;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.SharedReceiveQueue;
import io.verbena.verbs.ext.VerbsCmId;
import io.verbena.verbs.ext.VerbsCompChannel;
import io.verbena.verbs.ext.VerbsContext;
import io.verbena.verbs.ext.VerbsCq;
import io.verbena.verbs.ext.VerbsMr;
import io.verbena.verbs.ext.VerbsPd;
import io.verbena.verbs.ext.WcStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** Objects end in order, and using one that ended is an exception. */
public abstract class LifetimeSuite extends VerbsSuite {
  @Test
  void refusesAnyUseOfWhatIsDestroyed() throws Exception {
    Pair pair = Pair.connect(harness);
    Buffer buffer = pair.active.buffer(64);
    pair.close();
    Side side = pair.active;

    assertFails(() -> side.verbs().query(), Errno.EBADF);
    assertFails(() -> VerbsPd.of(side.pd).allocateWindow(), Errno.EBADF);
    assertFails(() -> VerbsPd.of(side.pd).registerMemory(4096, 64, 0), Errno.EBADF);
    assertFails(() -> VerbsMr.of(buffer.mr()).deregister(), Errno.EBADF);
    assertFails(() -> VerbsCq.of(side.sendCq).arm(false), Errno.EBADF);
    assertFails(() -> side.sendCq.ackEvents(1), Errno.EBADF);
    assertFails(() -> VerbsCompChannel.of(side.channel).nextEvent(0), Errno.EBADF);
    assertFails(() -> side.id.getSource(), Errno.EBADF);
    assertFails(() -> side.id.disconnect(), Errno.EBADF);
    assertFails(() -> side.id.resolveRoute(1), Errno.EBADF);
    assertFails(() -> VerbsCmId.of(side.id).reject(ByteBuffer.allocate(0)), Errno.EBADF);
    assertFails(() -> pair.activeEvents.channel.getCmEvent(0), Errno.EBADF);
    assertFails(() -> pair.activeEvents.newId(), Errno.EBADF);
    try (Arena arena = Arena.ofConfined()) {
      CompletionBlock completions = new CompletionBlock(arena, 1);
      assertFails(() -> VerbsCq.of(side.sendCq).poll(completions), Errno.EBADF);
      SendBlock sends = new SendBlock(arena, 1, 1);
      sends.request(0, 1, SendOpcode.SEND, 0);
      assertFails(() -> side.verbs().postSend(sends, 0, 1), Errno.EBADF);
      ReceiveBlock receives = new ReceiveBlock(arena, 1, 1);
      receives.request(0, 1);
      assertFails(() -> side.verbs().postReceive(receives, 0, 1), Errno.EBADF);
    }
  }

  @Test
  void refusesToDestroyTwice() throws Exception {
    Pair pair = Pair.connect(harness);
    pair.close();
    assertFails(() -> pair.active.id.destroyQP(), Errno.EBADF);
    assertFails(() -> pair.active.id.destroyId(), Errno.EBADF);
    assertFails(() -> pair.active.pd.deallocPd(), Errno.EBADF);
    assertFails(() -> pair.active.sendCq.destroyCQ(), Errno.EBADF);
    assertFails(() -> pair.active.channel.destroyCompChannel(), Errno.EBADF);
    assertFails(() -> pair.activeEvents.channel.destroyEventChannel(), Errno.EBADF);
  }

  @Test
  void letsCloseBeCalledAgain() throws Exception {
    Pair pair = Pair.connect(harness);
    pair.close();
    pair.active.qp.close();
    pair.active.id.close();
    pair.active.pd.close();
    pair.active.sendCq.close();
    pair.active.channel.close();
    pair.activeEvents.channel.close();
    assertThat(pair.active.qp.isOpen()).isFalse();
    assertThat(pair.active.pd.isOpen()).isFalse();
  }

  @Test
  void closesInOrderOnly() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Side side = pair.active;
      side.buffer(64);
      assertFails(() -> side.pd.deallocPd(), Errno.EBUSY);
      assertFails(() -> side.sendCq.destroyCQ(), Errno.EBUSY);
      assertFails(() -> side.receiveCq.destroyCQ(), Errno.EBUSY);
      assertFails(() -> side.id.destroyId(), Errno.EBUSY);
      assertFails(() -> pair.activeEvents.channel.destroyEventChannel(), Errno.EBUSY);
      // What was refused changed nothing.
      pair.passive.receive(1, pair.passive.buffer(8));
      side.request(2, SendOpcode.SEND, SendFlags.SIGNALED, side.buffer(8));
      side.post();
      assertThat(side.awaitSent().status()).isEqualTo(WcStatus.SUCCESS);
    }
  }

  @Test
  void closesWindowsAndSharedQueuesBeforeTheirDomain() throws Exception {
    IbvContext context = harness.active().devices().getFirst();
    IbvPd pd = context.allocPd();
    if (VerbsContext.of(context).queryDevice().hasSrq()) {
      SharedReceiveQueue srq = VerbsPd.of(pd).createSrq(4, 1);
      assertFails(() -> pd.deallocPd(), Errno.EBUSY);
      srq.destroy();
      assertFails(srq::destroy, Errno.EBADF);
      assertFails(() -> srq.armLimit(1), Errno.EBADF);
    }
    if (VerbsContext.of(context).queryDevice().hasTypeTwoWindows()) {
      MemoryWindow window = VerbsPd.of(pd).allocateWindow();
      assertFails(() -> pd.deallocPd(), Errno.EBUSY);
      window.deallocate();
      assertFails(window::deallocate, Errno.EBADF);
    }
    pd.close();
    assertThat(pd.isOpen()).isFalse();
  }

  @Test
  void offersTheSameDevicesAsConnectionsUse() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      assertThat(harness.active().devices()).contains(pair.active.qp.getContext());
      assertThat(harness.active().problem()).isEmpty();
    }
  }

  @Test
  void registersMoreThanTwoGibibytes() throws Exception {
    Assumptions.assumeTrue(harness.isReal(), "needs no real memory in a fabric");
    Assumptions.assumeFalse(
        isLaterRxe(), "rdma_rxe keeps 16 bytes for each page, in one piece of 4 MiB at most");
    long size = (2L << 30) + (1 << 20);
    int access = Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ;
    try (Arena arena = Arena.ofShared();
        Pair pair = Pair.connect(harness)) {
      MemorySegment memory = arena.allocate(size, 4096);
      IbvMr mr = VerbsPd.of(pair.passive.pd).registerMemory(memory.address(), size, access);
      assertThat(VerbsMr.of(mr).length()).isEqualTo(size);
      Buffer from = pair.active.buffer(64).fill(3);
      pair.active
          .request(1, SendOpcode.RDMA_WRITE, SendFlags.SIGNALED, from)
          .remote(0, memory.address() + size - 64, mr.getRkey());
      pair.active.post();
      assertThat(pair.active.awaitSent().status()).isEqualTo(WcStatus.SUCCESS);
      pair.passive.receive(2, pair.passive.buffer(8));
      pair.active.request(3, SendOpcode.SEND, SendFlags.SIGNALED, from, 0, 8);
      pair.active.post();
      pair.passive.awaitReceived();
      assertThat(memory.asSlice(size - 64).toArray(ValueLayout.JAVA_BYTE)).isEqualTo(from.bytes());
      VerbsMr.of(mr).deregister();
    }
  }
}
