package io.verbena.verbs.ffm;

import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_DISCONNECTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvMr;
import io.verbena.testkit.JavaProcess;
import io.verbena.verbs.ext.Access;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.VerbsCq;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsMr;
import io.verbena.verbs.ext.VerbsProvider;
import io.verbena.verbs.ext.VerbsQp;
import io.verbena.verbs.ext.WcOpcode;
import io.verbena.verbs.ext.WcStatus;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Behaviour of real devices and kernels. */
@Tag("lab")
class RealDeviceTest {
  private static final int ALL_ACCESS =
      Access.LOCAL_WRITE | Access.REMOTE_WRITE | Access.REMOTE_READ;

  private final VerbsProvider provider = FfmProvider.shared();

  /** Writes the client's first bytes to a place in the server's region, with an immediate. */
  private static void write(Pair pair, IbvMr from, long to, int rkey, int length)
      throws IOException {
    pair.server.receives.request(0, 7);
    pair.server.postReceive(1);
    pair.client
        .sends
        .request(0, 9, SendOpcode.RDMA_WRITE_WITH_IMM, SendFlags.SIGNALED)
        .sge(0, from.getAddr(), length, from.getLkey())
        .remote(0, to, rkey)
        .immediate(0, 42);
    pair.client.postSend(1);
  }

  @Test
  void connectsOverIpv6() throws Exception {
    try (Pair pair = Pair.connect(provider, LabDevice.ipv6(0))) {
      InetSocketAddress peer = (InetSocketAddress) pair.server.id.getDestination();
      assertThat(peer.getAddress()).isInstanceOf(Inet6Address.class);
      assertThat(pair.client.id.getDestination()).isEqualTo(pair.listener.getSource());

      IbvMr source = pair.client.register(pair.client.arena.allocate(64), Access.LOCAL_WRITE);
      IbvMr target = pair.server.register(pair.server.arena.allocate(64), ALL_ACCESS);
      write(pair, source, target.getAddr(), target.getRkey(), 64);
      pair.server.await();
      assertThat(pair.server.completions.opcode(0)).isEqualTo(WcOpcode.RECV_RDMA_WITH_IMM);
      pair.disconnect();
    }
  }

  @Test
  void usingWhatIsDestroyedIsAnExceptionNeverACrash() throws Exception {
    Pair pair = Pair.connect(provider, LabDevice.ipv4(0));
    IbvMr region = pair.client.register(pair.client.arena.allocate(64), ALL_ACCESS);
    assertThatThrownBy(pair.client.cq::destroyCQ).hasMessageContaining("EBUSY");
    assertThatThrownBy(pair.client.pd::deallocPd).hasMessageContaining("EBUSY");
    assertThatThrownBy(pair.client.id::destroyId).hasMessageContaining("EBUSY");
    assertThatThrownBy(pair.events::destroyEventChannel).hasMessageContaining("EBUSY");
    Side client = pair.client;
    client.sends.request(0, 1, SendOpcode.SEND, 0);
    client.receives.request(0, 1);
    VerbsMr.of(region).deregister();
    client.forget(region);

    pair.disconnect();
    client.id.destroyQP();
    assertClosed(() -> VerbsQp.of(client.qp).postSend(client.sends, 0, 1));
    assertClosed(() -> VerbsQp.of(client.qp).postReceive(client.receives, 0, 1));
    assertClosed(() -> VerbsQp.of(client.qp).query());
    assertClosed(client.id::destroyQP);
    assertClosed(() -> VerbsMr.of(region).deregister());
    client.cq.destroyCQ();
    assertClosed(() -> VerbsCq.of(client.cq).poll(client.completions));
    assertClosed(() -> VerbsCq.of(client.cq).arm(false));
    client.pd.close();
    assertClosed(() -> client.pd.regMr(0x1000, 64, 0).execute());
    client.id.destroyId();
    assertClosed(client.id::disconnect);
    assertClosed(client.id::getSource);
    client.arena.close();
    pair.server.close();
    pair.listener.destroyId();
    pair.events.destroyEventChannel();
    assertClosed(() -> pair.events.getCmEvent(0));
  }

  private static void assertClosed(org.assertj.core.api.ThrowableAssert.ThrowingCallable use) {
    assertThatThrownBy(use).isInstanceOf(VerbsException.class).hasMessageContaining("EBADF");
  }

  @Test
  void leavesNothingInTheKernelAfterManyConnections() throws Exception {
    connectAndClose();
    Map<String, Integer> before = kernelResources();
    for (int i = 0; i < 20; i++) {
      connectAndClose();
    }
    assertThat(kernelResources()).isEqualTo(before);
  }

  private void connectAndClose() throws IOException {
    try (Pair pair = Pair.connect(provider, LabDevice.ipv4(0))) {
      pair.client.register(pair.client.arena.allocate(1 << 16), ALL_ACCESS);
      pair.server.register(pair.server.arena.allocate(1 << 16), ALL_ACCESS);
      pair.disconnect();
    }
  }

  /** "0: rxe0: pd 2 cq 1 qp 3 cm_id 0 mr 0 ..." of the rdma tool, as a map. */
  @SuppressWarnings("StringSplitter") // the line has neither leading nor trailing blanks
  private static Map<String, Integer> kernelResources() throws Exception {
    Process rdma = new ProcessBuilder("rdma", "resource", "show", LabDevice.name()).start();
    String line = new String(rdma.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(rdma.waitFor()).as(line).isZero();
    String[] words = line.substring(line.indexOf(LabDevice.name())).trim().split("\\s+");
    Map<String, Integer> counts = new TreeMap<>();
    for (int i = 1; i + 1 < words.length; i += 2) {
      counts.put(words[i], Integer.valueOf(words[i + 1]));
    }
    assertThat(counts).containsKeys("pd", "cq", "qp", "cm_id", "mr");
    return counts;
  }

  @Test
  void noticesThatThePeerWasKilled() throws Exception {
    try (JavaProcess peer = PeerProcess.start(LabDevice.ipv4(18_540))) {
      assertThat(peer.line()).isEqualTo("listening");
      var events = provider.createEventChannel();
      Side client = new Side(Pair.resolve(events, LabDevice.ipv4(18_540)));
      client.receives.request(0, 77);
      client.postReceive(1);
      client.id.connect(PeerProcess.quickToGiveUp());
      Pair.expect(events, com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_ESTABLISHED);
      assertThat(peer.line()).isEqualTo("connected");

      peer.kill();

      Pair.expect(events, RDMA_CM_EVENT_DISCONNECTED);
      client.id.disconnect();
      client.await();
      assertThat(client.completions.wrId(0)).isEqualTo(77);
      assertThat(client.completions.status(0)).isEqualTo(WcStatus.WR_FLUSH_ERR);
      client.close();
      events.destroyEventChannel();
    }
  }
}
