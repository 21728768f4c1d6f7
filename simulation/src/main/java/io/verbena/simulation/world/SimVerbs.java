package io.verbena.simulation.world;

import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.verbena.simulation.time.Scheduler;
import io.verbena.simulation.time.Strand;
import io.verbena.verbs.ext.HostAddress;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsProvider;
import io.verbena.verbs.ext.WaitSet;
import io.verbena.verbs.fabric.FabricHost;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * A host's verbs, whose waits are a strand's.
 *
 * @param host of the fabric
 */
record SimVerbs(FabricHost host, Scheduler scheduler) implements VerbsProvider {
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
    WaitSet set = host.newWaitSet();
    return new WaitSet() {
      @Override
      public void add(RdmaEventChannel channel) throws IOException {
        set.add(channel);
      }

      @Override
      public void add(IbvCompChannel channel) throws IOException {
        set.add(channel);
      }

      @Override
      public void add(IbvContext context) throws IOException {
        set.add(context);
      }

      @Override
      public boolean await(long timeoutNanos) throws IOException {
        Strand strand = scheduler.running();
        if (strand != null) {
          strand.await(timeoutNanos);
        }
        return set.await(0);
      }

      @Override
      public boolean tell(long timeoutNanos, Runnable ready) throws IOException {
        return set.tell(timeoutNanos, ready);
      }

      @Override
      public void wakeup() {
        set.wakeup();
      }

      @Override
      public void close() {
        set.close();
      }
    };
  }
}
