package io.verbena.verbs.ffm;

import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_CONNECT_REQUEST;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_ESTABLISHED;

import com.ibm.disni.verbs.RdmaEventChannel;
import io.verbena.testkit.JavaProcess;
import io.verbena.verbs.ext.ConnectionParameters;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;

/** A process that accepts one connection and then does nothing, until it is killed. */
final class PeerProcess {
  private PeerProcess() {}

  static JavaProcess start(InetSocketAddress address) throws IOException {
    return JavaProcess.start(
        List.of("--enable-native-access=ALL-UNNAMED"),
        PeerProcess.class,
        address.getAddress().getHostAddress(),
        Integer.toString(address.getPort()));
  }

  static ConnectionParameters quickToGiveUp() {
    ConnectionParameters parameters = new ConnectionParameters();
    parameters.setRetry_count((byte) 1);
    return parameters;
  }

  /** Listens on the address and port that the arguments name. */
  public static void main(String[] arguments) throws Exception {
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getByName(arguments[0]), Integer.parseInt(arguments[1]));
    RdmaEventChannel events = FfmProvider.shared().createEventChannel();
    Pair.listen(events, address);
    System.out.println("listening");
    Side side = new Side(Pair.expect(events, RDMA_CM_EVENT_CONNECT_REQUEST).getConnIdPriv());
    side.id.accept(quickToGiveUp());
    Pair.expect(events, RDMA_CM_EVENT_ESTABLISHED);
    System.out.println("connected");
    Thread.sleep(Long.MAX_VALUE);
  }
}
