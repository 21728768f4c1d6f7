package io.verbena.verbs.ext;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;

/**
 * One source of verbs objects: the real devices of this machine, or one simulated host of a fabric.
 *
 * <p>All methods are safe for use by several threads. A provider calls {@link UnderDisni#ensure()}
 * before it makes its first DiSNI object.
 */
public interface VerbsProvider {
  /** A short name for messages and {@code ServiceLoader} choice, such as {@code ffm}. */
  String name();

  /** Where it stands among others that have a device: the highest is taken. */
  default int priority() {
    return 0;
  }

  /**
   * Why this provider cannot be used here (no library, no device), with the cure; empty when it
   * can. Cheap enough to ask before every connection attempt, and never throws.
   */
  Optional<VerbsException> problem();

  /** A new channel for connection events; everything else is made from it. */
  RdmaEventChannel createEventChannel() throws IOException;

  /**
   * The open devices ({@code rdma_get_devices}): the same context objects that connection ids
   * resolve to, so that PDs, SRQs and registered memory can be made before any connection. Each
   * lives as long as the provider and is a {@link VerbsContext}.
   */
  List<IbvContext> devices() throws IOException;

  /** The IP addresses of the host's network interfaces, as far as this process sees them. */
  default List<HostAddress> hostAddresses() throws IOException {
    return List.of();
  }

  /**
   * Where the host's own files are, by which its kernel tells of devices and processors: {@code /},
   * or nowhere for a host that is simulated, whose threads are no business of a kernel.
   */
  default Optional<Path> hostFiles() {
    return Optional.empty();
  }

  /**
   * Has a thread run on certain processors alone, and those that it starts from then on.
   *
   * @param thread the kernel's number of a thread of this process; 0 for the calling one
   * @param processors by their numbers; those that are not there, or that the process may not use,
   *     are passed over, and one has to remain
   */
  default void bindThread(int thread, BitSet processors) throws IOException {
    throw new VerbsException("sched_setaffinity", Errno.EOPNOTSUPP, "Threads cannot be bound.");
  }

  /** A new, empty set of channels to wait on together. */
  WaitSet newWaitSet() throws IOException;
}
