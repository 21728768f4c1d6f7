package io.verbena.verbs.ffm;

import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_ADDR_RESOLVED;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_CONNECT_REQUEST;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_DISCONNECTED;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_ESTABLISHED;
import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_ROUTE_RESOLVED;
import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.verbena.verbs.ext.ConnectionParameters;
import io.verbena.verbs.ext.VerbsProvider;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Two connected ends in one JVM, on a real device. */
final class Pair implements AutoCloseable {
  private static final int LIMIT_MILLIS = 20_000;

  final RdmaEventChannel events;
  final RdmaCmId listener;
  final Side client;
  final Side server;

  private Pair(RdmaEventChannel events, RdmaCmId listener, Side client, Side server) {
    this.events = events;
    this.listener = listener;
    this.client = client;
    this.server = server;
  }

  static Pair connect(VerbsProvider provider, InetSocketAddress address) throws IOException {
    RdmaEventChannel events = provider.createEventChannel();
    RdmaCmId listener = listen(events, address);
    RdmaCmId id = resolve(events, (InetSocketAddress) listener.getSource());
    Side client = new Side(id);
    id.connect(new ConnectionParameters());
    RdmaCmEvent request = expect(events, RDMA_CM_EVENT_CONNECT_REQUEST);
    Side server = new Side(request.getConnIdPriv());
    server.id.accept(new ConnectionParameters());
    expect(events, RDMA_CM_EVENT_ESTABLISHED);
    expect(events, RDMA_CM_EVENT_ESTABLISHED);
    return new Pair(events, listener, client, server);
  }

  static RdmaCmId listen(RdmaEventChannel events, InetSocketAddress address) throws IOException {
    RdmaCmId listener = events.createId(RdmaCm.RDMA_PS_TCP);
    listener.bindAddr(address);
    listener.listen(8);
    return listener;
  }

  static RdmaCmId resolve(RdmaEventChannel events, InetSocketAddress address) throws IOException {
    RdmaCmId id = events.createId(RdmaCm.RDMA_PS_TCP);
    id.resolveAddr(null, address, 2_000);
    expect(events, RDMA_CM_EVENT_ADDR_RESOLVED);
    id.resolveRoute(2_000);
    expect(events, RDMA_CM_EVENT_ROUTE_RESOLVED);
    return id;
  }

  static RdmaCmEvent expect(RdmaEventChannel events, EventType type) throws IOException {
    RdmaCmEvent event = events.getCmEvent(LIMIT_MILLIS);
    assertThat(event).as("an event of type %s", type).isNotNull();
    assertThat(type(event)).as("%s", event).isEqualTo(type);
    event.ackEvent();
    return event;
  }

  @SuppressWarnings("EnumOrdinal") // the order of the constants is C's
  static EventType type(RdmaCmEvent event) {
    return EventType.values()[event.getEvent()];
  }

  void disconnect() throws IOException {
    client.id.disconnect();
    expect(events, RDMA_CM_EVENT_DISCONNECTED);
    server.id.disconnect();
    expect(events, RDMA_CM_EVENT_DISCONNECTED);
  }

  @Override
  public void close() throws IOException {
    client.close();
    server.close();
    listener.destroyId();
    events.destroyEventChannel();
  }
}
