package io.verbena.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.RdmaCqProvider;
import com.ibm.disni.RdmaEndpoint;
import com.ibm.disni.RdmaEndpointFactory;
import com.ibm.disni.RdmaEndpointGroup;
import com.ibm.disni.RdmaPassiveEndpointGroup;
import com.ibm.disni.RdmaServerEndpoint;
import com.ibm.disni.util.MemoryUtils;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCPostRecv;
import com.ibm.disni.verbs.SVCPostSend;
import io.verbena.verbs.disni.DisniBridge;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** DiSNI's own endpoint layer, from its published jar, on this provider. */
@Tag("lab")
@SuppressWarnings("JdkObsolete") // DiSNI takes LinkedLists
class DisniEndpointsTest {
  private static final int PORT = 18_520;
  private static final int ROUNDS = 100;
  private static final int TIMEOUT_MILLIS = 1_000;

  /**
   * An endpoint as DiSNI's examples write them: one receive and one send, posted again and again.
   */
  @SuppressWarnings("NullAway.Init") // DiSNI calls init() once the connection has its resources
  private static final class PingPong extends RdmaEndpoint {
    private final ByteBuffer sent = ByteBuffer.allocateDirect(64);
    private final ByteBuffer received = ByteBuffer.allocateDirect(64);
    private IbvMr sentRegion;
    private IbvMr receivedRegion;
    private SVCPostSend send;
    private SVCPostRecv receive;
    private SVCPollCq poll;
    private final IbvWC[] completions = {new IbvWC()};

    PingPong(RdmaEndpointGroup<PingPong> group, RdmaCmId id, boolean serverSide)
        throws IOException {
      super(group, id, serverSide);
    }

    @Override
    protected synchronized void init() throws IOException {
      super.init();
      sentRegion = registerMemory(sent).execute().free().getMr();
      receivedRegion = registerMemory(received).execute().free().getMr();
      IbvSendWR sendRequest = new IbvSendWR();
      sendRequest.setOpcode(IbvSendWR.IBV_WR_SEND);
      sendRequest.setSend_flags(IbvSendWR.IBV_SEND_SIGNALED);
      sendRequest.setSg_list(new LinkedList<>(List.of(piece(sent, sentRegion))));
      send = postSend(List.of(sendRequest));
      IbvRecvWR receiveRequest = new IbvRecvWR();
      receiveRequest.setSg_list(new LinkedList<>(List.of(piece(received, receivedRegion))));
      receive = postRecv(List.of(receiveRequest));
      poll = getCqProvider().getCQ().poll(completions, 1);
      receive.execute();
    }

    private static IbvSge piece(ByteBuffer buffer, IbvMr region) {
      IbvSge piece = new IbvSge();
      piece.setAddr(MemoryUtils.getAddress(buffer));
      piece.setLength(buffer.capacity());
      piece.setLkey(region.getLkey());
      return piece;
    }

    void send(int value) throws IOException {
      sent.putInt(0, value);
      send.execute();
    }

    /** Waits for one send's and one receive's completion; the value received. */
    int awaitBoth() throws IOException {
      awaitOne();
      awaitOne();
      int value = received.getInt(0);
      receive.execute();
      return value;
    }

    /** Waits for a value and sends it back, plus one. */
    void answer() throws IOException {
      awaitOne();
      int value = received.getInt(0);
      receive.execute();
      send(value + 1);
      awaitOne();
    }

    private void awaitOne() throws IOException {
      while (poll.execute().getPolls() == 0) {
        Thread.onSpinWait();
      }
      assertThat(completions[0].getStatus()).isZero();
    }

    void release() throws IOException, InterruptedException {
      close();
      poll.free();
      send.free();
      receive.free();
      deregisterMemory(sentRegion);
      deregisterMemory(receivedRegion);
      RdmaCqProvider queues = getCqProvider();
      queues.close();
    }
  }

  private static RdmaPassiveEndpointGroup<PingPong> group() throws IOException {
    RdmaPassiveEndpointGroup<PingPong> group =
        new RdmaPassiveEndpointGroup<>(TIMEOUT_MILLIS, 10, 4, 40);
    RdmaEndpointFactory<PingPong> factory = (id, serverSide) -> new PingPong(group, id, serverSide);
    group.init(factory);
    // DiSNI's own default is 0: one acknowledgement that comes late would end the connection.
    group.getConnParam().setRetry_count((byte) 7);
    return group;
  }

  @BeforeEach
  void install() {
    assertThat(DisniBridge.install()).isEmpty();
  }

  @Test
  void playPingPongInAPassiveGroup() throws Exception {
    RdmaPassiveEndpointGroup<PingPong> serverGroup = group();
    RdmaPassiveEndpointGroup<PingPong> clientGroup = group();
    RdmaServerEndpoint<PingPong> listener = serverGroup.createServerEndpoint();
    listener.bind(LabDevice.ipv4(PORT), 10);
    CompletableFuture<PingPong> accepted =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                PingPong server = listener.accept();
                for (int round = 0; round < ROUNDS; round++) {
                  server.answer();
                }
                return server;
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });
    PingPong client = clientGroup.createEndpoint();
    client.connect(LabDevice.ipv4(PORT), TIMEOUT_MILLIS);

    for (int round = 0; round < ROUNDS; round++) {
      client.send(round);
      assertThat(client.awaitBoth()).isEqualTo(round + 1);
    }

    PingPong server = accepted.get(20, TimeUnit.SECONDS);
    client.release();
    server.release();
    listener.close();
    clientGroup.close();
    serverGroup.close();
  }
}
