package io.verbena.verbs.fabric;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import io.verbena.verbs.ext.Closing;
import io.verbena.verbs.ext.VerbsCompChannel;
import io.verbena.verbs.ext.VerbsException;
import java.io.IOException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** A completion channel, with the events of armed completion queues in order. */
final class FabricCompChannel extends IbvCompChannel implements VerbsCompChannel {
  private final FabricContext device;
  private final ArrayDeque<FabricCq> events = new ArrayDeque<>();
  private int users;

  FabricCompChannel(FabricContext device, int number) throws IOException {
    super(number, device);
    this.device = device;
    device.host.objects++;
  }

  @Override
  public @Nullable IbvCQ nextEvent(long timeoutNanos) throws IOException {
    if (timeoutNanos < 0) {
      throw new IllegalArgumentException("A wait of " + timeoutNanos + " ns; at least 0");
    }
    return take(timeoutNanos);
  }

  @Override
  public boolean getCqEvent(IbvCQ cq, int timeoutMillis) throws IOException {
    return take(timeoutMillis < 0 ? -1 : timeoutMillis * 1_000_000L) != null;
  }

  private @Nullable IbvCQ take(long timeoutNanos) throws IOException {
    synchronized (device.fabric.lock) {
      device.fabric.await(timeoutNanos, this::isReady);
      return events.poll();
    }
  }

  @Override
  public int destroyCompChannel() throws VerbsException {
    synchronized (device.fabric.lock) {
      use("ibv_destroy_comp_channel");
      isOpen = false;
      events.clear();
      goneWithItsQueues(); // DiSNI's own classes destroy these later
      device.fabric.wakeWaiters();
      return 0;
    }
  }

  @Override
  public void close() {
    Closing.unless(!isOpen, this::destroyCompChannel);
  }

  // The methods below are called under the fabric's lock.

  private void use(String call) throws VerbsException {
    device.host.use(call, isOpen, "The completion channel");
  }

  boolean isReady() throws VerbsException {
    use("ibv_get_cq_event");
    return !events.isEmpty();
  }

  void addUser() {
    users++;
  }

  void removeUser(FabricCq cq) {
    users--;
    events.removeIf(event -> event == cq);
    goneWithItsQueues();
  }

  private void goneWithItsQueues() {
    if (!isOpen && users == 0) {
      device.host.objects--;
    }
  }

  void raise(FabricCq cq) {
    if (isOpen) {
      events.add(cq);
      device.fabric.wakeWaiters();
    }
  }
}
