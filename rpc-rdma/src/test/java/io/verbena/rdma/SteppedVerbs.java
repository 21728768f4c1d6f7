package io.verbena.rdma;

import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.verbena.verbs.ext.HostAddress;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsProvider;
import io.verbena.verbs.ext.WaitSet;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** A host of a stepped fabric, whose waits let the fabric's time pass. */
record SteppedVerbs(VerbsProvider host, FabricWorld world) implements VerbsProvider {
  @Override
  public String name() {
    return host.name();
  }

  @Override
  public Optional<VerbsException> problem() {
    return host.problem();
  }

  @Override
  public RdmaEventChannel createEventChannel() throws IOException {
    return host.createEventChannel();
  }

  @Override
  public List<IbvContext> devices() throws IOException {
    return host.devices();
  }

  @Override
  public List<HostAddress> hostAddresses() throws IOException {
    return host.hostAddresses();
  }

  @Override
  public WaitSet newWaitSet() {
    return new WaitSet() {
      @Override
      public void add(RdmaEventChannel channel) {}

      @Override
      public void add(IbvCompChannel channel) {}

      @Override
      public void add(IbvContext context) {}

      @Override
      public boolean await(long timeoutNanos) {
        world.pass(timeoutNanos);
        return false;
      }

      @Override
      public void wakeup() {}

      @Override
      public void close() {}
    };
  }
}
