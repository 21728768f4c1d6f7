package io.verbena.verbs.fabric;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.verbena.verbs.ext.Closing;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A channel of connection events. */
final class FabricEventChannel extends RdmaEventChannel {
  private final FabricHost host;
  private final ArrayDeque<FabricCmEvent> events = new ArrayDeque<>();
  private int users;

  FabricEventChannel(FabricHost host) throws IOException {
    super(host.fabric.number());
    this.host = host;
  }

  @Override
  public RdmaCmId createId(short portSpace) throws IOException {
    synchronized (host.fabric.lock) {
      use("rdma_create_id");
      if (portSpace != RdmaCm.RDMA_PS_TCP) {
        throw new VerbsException(
            "rdma_create_id", Errno.EOPNOTSUPP, "a fabric supports only RDMA_PS_TCP.");
      }
      return new FabricCmId(host, this);
    }
  }

  @Override
  public @Nullable RdmaCmEvent getCmEvent(int timeoutMillis) throws IOException {
    synchronized (host.fabric.lock) {
      host.fabric.await(timeoutMillis < 0 ? -1 : timeoutMillis * 1_000_000L, this::isReady);
      FabricCmEvent event = events.poll();
      if (event != null) {
        event.taken();
      }
      return event;
    }
  }

  @Override
  public int destroyEventChannel() throws VerbsException {
    synchronized (host.fabric.lock) {
      use("rdma_destroy_event_channel");
      if (users > 0) {
        throw VerbsException.inUse(
            "rdma_destroy_event_channel", "an event channel", users + " connection ids");
      }
      isOpen = false;
      host.fabric.wakeWaiters();
      return 0;
    }
  }

  @Override
  public void close() {
    Closing.unless(!isOpen, this::destroyEventChannel);
  }

  // The methods below are called under the fabric's lock.

  private void use(String call) throws VerbsException {
    host.use(call, isOpen, "The event channel");
  }

  Fabric fabric() {
    return host.fabric;
  }

  boolean isReady() throws VerbsException {
    use("rdma_get_cm_event");
    return !events.isEmpty();
  }

  void addUser() {
    users++;
  }

  /** Removes an id with its unread events, and the pending requests of a listener. */
  void removeUser(FabricCmId id) {
    users--;
    List<FabricCmId> unseen =
        events.stream().filter(event -> event.isRequestTo(id)).map(FabricCmEvent::id).toList();
    events.removeIf(event -> event.id() == id);
    unseen.forEach(FabricCmId::abandon);
  }

  void raise(FabricCmEvent event) {
    events.add(event);
    host.fabric.wakeWaiters();
  }
}
