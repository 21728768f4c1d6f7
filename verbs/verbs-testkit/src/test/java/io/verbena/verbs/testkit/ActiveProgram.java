package io.verbena.verbs.testkit;

import com.ibm.disni.RdmaActiveEndpoint;
import com.ibm.disni.RdmaActiveEndpointGroup;
import com.ibm.disni.RdmaServerEndpoint;
import com.ibm.disni.util.MemoryUtils;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvRecvWR;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvSge;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.SVCPostRecv;
import com.ibm.disni.verbs.SVCPostSend;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.LinkedList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A program that knows nothing but DiSNI, as its examples are written: active endpoint groups,
 * whose threads hand completions to the endpoints. A server gives back what it is sent, plus one.
 */
@SuppressWarnings({"JdkObsolete", "NonApiType"}) // DiSNI takes LinkedLists
public final class ActiveProgram {
  private static final int ROUNDS = 100;
  private static final int TIMEOUT_MILLIS = 5_000;

  /** How long the threads of a group wait at a time, and so how long its end takes. */
  private static final int LOOK_EVERY_MILLIS = 100;

  private static final int PATIENCE_SECONDS = 30;

  private ActiveProgram() {}

  /**
   * Serves and calls itself.
   *
   * @param args the address of the device, and a free port
   */
  public static void main(String[] args) throws Exception {
    InetSocketAddress address = new InetSocketAddress(args[0], Integer.parseInt(args[1]));
    Server server = new Server(address);
    System.out.println("the last answer is " + call(address));
    server.end();
  }

  /** One end of a connection. */
  @SuppressWarnings("NullAway.Init") // DiSNI calls init() once the connection has its resources
  private static final class Endpoint extends RdmaActiveEndpoint {
    private final ByteBuffer sent = ByteBuffer.allocateDirect(64);
    private final ByteBuffer received = ByteBuffer.allocateDirect(64);
    private final BlockingQueue<IbvWC> completions = new LinkedBlockingQueue<>();
    private IbvMr sentRegion;
    private IbvMr receivedRegion;
    private SVCPostSend send;
    private SVCPostRecv receive;

    Endpoint(RdmaActiveEndpointGroup<Endpoint> group, RdmaCmId id, boolean serverSide)
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
      receive.execute();
    }

    private static IbvSge piece(ByteBuffer buffer, IbvMr region) {
      IbvSge piece = new IbvSge();
      piece.setAddr(MemoryUtils.getAddress(buffer));
      piece.setLength(buffer.capacity());
      piece.setLkey(region.getLkey());
      return piece;
    }

    /** On the group's thread. */
    @Override
    public void dispatchCqEvent(IbvWC completion) {
      completions.add(completion.clone());
    }

    private void awaitCompletion() throws Exception {
      IbvWC completion = completions.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (completion == null || completion.getStatus() != 0) {
        throw new IOException(
            completion == null ? "no completion came" : "status " + completion.getStatus());
      }
    }

    void send(int value) throws Exception {
      sent.putInt(0, value);
      send.execute();
    }

    int ask(int value) throws Exception {
      send(value);
      awaitCompletion();
      awaitCompletion();
      int answer = received.getInt(0);
      receive.execute();
      return answer;
    }

    void answer() throws Exception {
      awaitCompletion();
      int value = received.getInt(0);
      receive.execute();
      send(value + 1);
      awaitCompletion();
    }

    void release() throws Exception {
      close();
      send.free();
      receive.free();
      deregisterMemory(sentRegion);
      deregisterMemory(receivedRegion);
    }
  }

  private static RdmaActiveEndpointGroup<Endpoint> group() throws IOException {
    RdmaActiveEndpointGroup<Endpoint> group =
        new RdmaActiveEndpointGroup<>(LOOK_EVERY_MILLIS, false, 16, 4, 64);
    group.init((id, serverSide) -> new Endpoint(group, id, serverSide));
    return group;
  }

  /** Answers one client. */
  public static final class Server {
    private final RdmaActiveEndpointGroup<Endpoint> group = group();
    private final RdmaServerEndpoint<Endpoint> listener = group.createServerEndpoint();
    private final CompletableFuture<Endpoint> served;

    /** Listens. */
    public Server(InetSocketAddress address) throws Exception {
      listener.bind(address, 10);
      served =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  Endpoint endpoint = listener.accept();
                  for (int round = 0; round < ROUNDS; round++) {
                    endpoint.answer();
                  }
                  return endpoint;
                } catch (Exception e) {
                  throw new IllegalStateException(e);
                }
              });
    }

    /** Waits until the client has gone, and ends. */
    public void end() throws Exception {
      served.get(PATIENCE_SECONDS, TimeUnit.SECONDS).release();
      listener.close();
      group.close();
    }
  }

  /** Asks a server again and again; returns its last answer. */
  public static int call(InetSocketAddress address) throws Exception {
    RdmaActiveEndpointGroup<Endpoint> group = group();
    Endpoint client = group.createEndpoint();
    client.connect(address, TIMEOUT_MILLIS);
    int last = 0;
    for (int round = 0; round < ROUNDS; round++) {
      last = client.ask(last);
    }
    client.release();
    group.close();
    return last;
  }
}
