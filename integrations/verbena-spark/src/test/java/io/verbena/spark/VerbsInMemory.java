package io.verbena.spark;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.HostAddress;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsProvider;
import io.verbena.verbs.ext.WaitSet;
import io.verbena.verbs.fabric.FabricHost;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The verbs of an executor whose process has a {@link SharedFabric}: a host of that network. */
public final class VerbsInMemory implements VerbsProvider {
  private static final @Nullable FabricHost HOST = SharedFabric.addHost();

  private static FabricHost host() throws IOException {
    if (HOST == null) {
      throw none();
    }
    return HOST;
  }

  private static VerbsException none() {
    return new VerbsException(
        "the search for verbs", Errno.ENODEV, "no network in memory is in this process.");
  }

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public Optional<VerbsException> problem() {
    return HOST == null ? Optional.of(none()) : HOST.problem();
  }

  @Override
  public RdmaEventChannel createEventChannel() throws IOException {
    return host().createEventChannel();
  }

  @Override
  public List<IbvContext> devices() throws IOException {
    return host().devices();
  }

  @Override
  public List<HostAddress> hostAddresses() throws IOException {
    return host().hostAddresses();
  }

  @Override
  public WaitSet newWaitSet() throws IOException {
    return host().newWaitSet();
  }
}
