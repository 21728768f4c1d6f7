package io.verbena.verbs.ext;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * One source of verbs objects: the real devices of this machine, or one simulated host of a fabric.
 *
 * <p>All methods are safe for use by several threads. A provider calls {@link UnderDisni#ensure()}
 * before it makes its first DiSNI object.
 */
public interface VerbsProvider {
  /** Returns a short name for messages and for the choice of a provider, such as {@code ffm}. */
  String name();

  /** Returns its priority among providers that have a device; the highest is chosen. */
  default int priority() {
    return 0;
  }

  /**
   * Returns the reason that this provider cannot be used here (no library, no device), with the
   * cure; empty if it can. It is cheap enough to ask before every connection attempt, and never
   * throws.
   */
  Optional<VerbsException> problem();

  /**
   * Makes a channel for connection events. Connection ids, and everything else, are made from it.
   */
  RdmaEventChannel createEventChannel() throws IOException;

  /**
   * Returns the open devices ({@code rdma_get_devices}). They are the same context objects that
   * connection ids resolve to, so PDs, SRQs and registered memory can be made before any
   * connection. Each lives as long as the provider, and is a {@link VerbsContext}.
   */
  List<IbvContext> devices() throws IOException;

  /**
   * Returns the IP addresses of the host's network interfaces, as far as this process sees them.
   */
  default List<HostAddress> hostAddresses() throws IOException {
    return List.of();
  }

  /** Makes an empty set of channels, to wait on them together. */
  WaitSet newWaitSet() throws IOException;
}
