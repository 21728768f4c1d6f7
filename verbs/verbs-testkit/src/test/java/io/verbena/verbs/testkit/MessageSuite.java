package io.verbena.verbs.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.VerbsCompChannel;
import io.verbena.verbs.ext.VerbsCq;
import io.verbena.verbs.ext.WaitSet;
import io.verbena.verbs.ext.WcFlags;
import io.verbena.verbs.ext.WcOpcode;
import io.verbena.verbs.ext.WcStatus;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Send and Recv, polled and by event. */
public abstract class MessageSuite extends VerbsSuite {
  @Test
  void deliversASend() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer from = pair.active.buffer(1000).fill(1);
      Buffer to = pair.passive.buffer(2000);
      pair.passive.receive(7, to);
      pair.active.request(8, SendOpcode.SEND, SendFlags.SIGNALED, from);
      pair.active.post();

      Wc received = pair.passive.awaitReceived();
      assertThat(received.status()).isEqualTo(WcStatus.SUCCESS);
      assertThat(received.wrId()).isEqualTo(7);
      assertThat(received.opcode()).isEqualTo(WcOpcode.RECV);
      assertThat(received.byteLength()).isEqualTo(1000);
      assertThat(received.qpNumber()).isEqualTo(pair.passive.qpNumber());
      assertThat(received.has(WcFlags.WITH_IMM)).isFalse();
      assertThat(to.bytes(0, 1000)).isEqualTo(from.bytes());
      Wc sent = pair.active.awaitSent();
      assertThat(sent.status()).isEqualTo(WcStatus.SUCCESS);
      assertThat(sent.wrId()).isEqualTo(8);
      assertThat(sent.opcode()).isEqualTo(WcOpcode.SEND);
      assertThat(sent.qpNumber()).isEqualTo(pair.active.qpNumber());
    }
  }

  @Test
  void deliversManySendsInOrderBothWays() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer from = pair.active.buffer(8);
      Buffer there = pair.passive.buffer(8);
      Buffer back = pair.active.buffer(8);
      for (int i = 0; i < 100; i++) {
        pair.passive.receive(i, there);
        pair.active.receive(i, back);
        from.putLong(0, i);
        pair.active.request(i, SendOpcode.SEND, SendFlags.SIGNALED, from);
        pair.active.post();
        assertThat(pair.passive.awaitReceived().wrId()).isEqualTo(i);
        assertThat(there.getLong(0)).isEqualTo(i);
        pair.passive.request(i, SendOpcode.SEND, SendFlags.SIGNALED, there);
        pair.passive.post();
        assertThat(pair.active.awaitReceived().wrId()).isEqualTo(i);
        assertThat(back.getLong(0)).isEqualTo(i);
        assertThat(pair.active.awaitSent().wrId()).isEqualTo(i);
        assertThat(pair.passive.awaitSent().wrId()).isEqualTo(i);
      }
    }
  }

  @Test
  void deliversABurstInOrder() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer from = pair.active.buffer(16 * 8);
      Buffer to = pair.passive.buffer(16 * 8);
      for (int i = 0; i < 16; i++) {
        pair.passive.receive(i, to, i * 8L, 8);
        from.putLong(i * 8L, 1000 + i);
        pair.active
            .sends
            .request(i, i, SendOpcode.SEND, i == 15 ? SendFlags.SIGNALED : 0)
            .sge(i, from.address() + i * 8L, 8, from.lkey());
      }
      assertThat(pair.active.verbs().postSend(pair.active.sends, 0, 16)).isEqualTo(16);
      List<Wc> received = pair.passive.awaitReceived(16);
      assertThat(received).extracting(Wc::wrId).isSorted();
      assertThat(to.bytes()).isEqualTo(from.bytes());
      assertThat(pair.active.awaitSent().wrId()).isEqualTo(15);
    }
  }

  @Test
  void wakesTheReceiverByAnEvent() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      VerbsCompChannel channel = VerbsCompChannel.of(pair.passive.channel);
      VerbsCq.of(pair.passive.receiveCq).arm(false);
      assertThat(channel.nextEvent(0)).isNull();
      sendOne(pair, 0);
      harness.await("its event", () -> channel.nextEvent(0) == pair.passive.receiveCq);
      assertThat(pair.passive.awaitReceived().status()).isEqualTo(WcStatus.SUCCESS);

      sendOne(pair, 0);
      pair.passive.awaitReceived();
      assertThat(channel.nextEvent(0)).as("no event unless armed again").isNull();
    }
  }

  @Test
  void wakesForSolicitedSendsOnlyWhenAskedTo() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      VerbsCompChannel channel = VerbsCompChannel.of(pair.passive.channel);
      VerbsCq.of(pair.passive.receiveCq).arm(true);
      sendOne(pair, 0);
      pair.passive.awaitReceived();
      harness.pass(Duration.ofMillis(20));
      assertThat(channel.nextEvent(0)).isNull();
      sendOne(pair, SendFlags.SOLICITED);
      harness.await("the solicited event", () -> channel.nextEvent(0) != null);
      pair.passive.awaitReceived();
    }
  }

  @Test
  void waitsOnSeveralChannelsTogether() throws Exception {
    try (Pair pair = Pair.connect(harness);
        WaitSet set = harness.passive().newWaitSet()) {
      set.add(pair.passive.channel);
      set.add(pair.passiveEvents.channel);
      assertThat(set.await(0)).isFalse();
      set.wakeup();
      assertThat(set.await(0)).isTrue();
      assertThat(set.await(0)).as("woken once").isFalse();
      VerbsCq.of(pair.passive.receiveCq).arm(false);
      sendOne(pair, 0);
      harness.await("readiness", () -> set.await(0));
      assertThat(VerbsCompChannel.of(pair.passive.channel).nextEvent(0)).isNotNull();
      assertThat(set.await(0)).isFalse();
      pair.active.id.disconnect();
      harness.await("readiness", () -> set.await(0));
    }
  }

  private void sendOne(Pair pair, int flags) throws Exception {
    pair.passive.receive(1, pair.passive.buffer(8));
    pair.active.request(2, SendOpcode.SEND, flags | SendFlags.SIGNALED, pair.active.buffer(8));
    pair.active.post();
    pair.active.awaitSent();
  }

  @Test
  void carriesAnImmediate() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      pair.passive.receive(1, pair.passive.buffer(8));
      pair.active
          .request(2, SendOpcode.SEND_WITH_IMM, SendFlags.SIGNALED, pair.active.buffer(8))
          .immediate(0, 0xcafe0123);
      pair.active.post();
      Wc received = pair.passive.awaitReceived();
      assertThat(received.has(WcFlags.WITH_IMM)).isTrue();
      assertThat(received.immediate()).isEqualTo(0xcafe0123);
    }
  }

  @Test
  void sendsInlineFromMemoryThatIsNeitherRegisteredNorKept() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      MemorySegment from = pair.active.unregistered(64);
      from.fill((byte) 0x5a);
      Buffer to = pair.passive.buffer(64);
      pair.passive.receive(1, to);
      pair.active
          .sends
          .request(0, 2, SendOpcode.SEND, SendFlags.SIGNALED | SendFlags.INLINE)
          .sge(0, from.address(), 64, 0);
      pair.active.post();
      from.fill((byte) 0);
      pair.passive.awaitReceived();
      assertThat(to.bytes()).containsOnly(0x5a);
    }
  }

  @Test
  void refusesAnInlineSendThatIsTooLong() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      int tooLong = pair.active.attributes.cap().getMax_inline_data() + 1;
      pair.active
          .sends
          .request(0, 1, SendOpcode.SEND, SendFlags.INLINE)
          .sge(0, pair.active.unregistered(tooLong).address(), tooLong, 0);
      assertFails(() -> pair.active.tryPost(), Errno.EINVAL, Errno.ENOMEM);
    }
  }

  @Test
  void gathersPiecesAndScattersThem() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer header = pair.active.buffer(10).fill(1);
      Buffer payload = pair.active.buffer(100).fill(2);
      Buffer first = pair.passive.buffer(64);
      Buffer second = pair.passive.buffer(200);
      pair.passive.receive(1, first, 25, second);
      pair.active
          .request(2, SendOpcode.SEND, SendFlags.SIGNALED, header)
          .sge(0, payload.address(), 100, payload.lkey());
      pair.active.post();
      assertThat(pair.passive.awaitReceived().byteLength()).isEqualTo(110);
      assertThat(first.bytes(0, 10)).isEqualTo(header.bytes());
      assertThat(first.bytes(10, 15)).isEqualTo(payload.bytes(0, 15));
      assertThat(first.bytes(25, 39)).containsOnly(0);
      assertThat(second.bytes(0, 85)).isEqualTo(payload.bytes(15, 85));
      assertThat(second.bytes(85, 115)).containsOnly(0);
    }
  }

  @Test
  void completesUnsignalledSendsSilently() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      Buffer from = pair.active.buffer(8);
      Buffer to = pair.passive.buffer(8);
      for (int i = 0; i < 4; i++) {
        pair.passive.receive(i, to);
        pair.active.request(i, SendOpcode.SEND, i == 3 ? SendFlags.SIGNALED : 0, from);
        pair.active.post();
      }
      pair.passive.awaitReceived(4);
      assertThat(pair.active.awaitSent().wrId()).isEqualTo(3);
      harness.pass(Duration.ofMillis(10));
      assertThat(pair.active.hasSent()).isFalse();
    }
  }

  @Test
  void deliversAnEmptySend() throws Exception {
    try (Pair pair = Pair.connect(harness)) {
      pair.passive.receive(1, pair.passive.buffer(8));
      pair.active.sends.request(0, 2, SendOpcode.SEND_WITH_IMM, 0).immediate(0, 5);
      pair.active.post();
      Wc received = pair.passive.awaitReceived();
      assertThat(received.byteLength()).isZero();
      assertThat(received.immediate()).isEqualTo(5);
    }
  }
}
