package io.verbena.verbs.ffm;

import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ffm.lib.Libraries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** What must be there before a verb can be called; what is missing is a value with its cure. */
final class Prerequisites {
  private static final String PROBE = "the search for verbs devices";
  private static final Path CONNECTION_MANAGER = Path.of("/dev/infiniband/rdma_cm");

  /** Tested on amd64; aarch64 has the same rules for structs and is untested. */
  private static final Set<String> ARCHITECTURES = Set.of("amd64", "aarch64");

  private Prerequisites() {}

  /** The first thing that is missing: platform, library, or the kernel's RDMA. */
  static Optional<VerbsException> problem() {
    String system = System.getProperty("os.name") + " on " + System.getProperty("os.arch");
    if (!system.startsWith("Linux") || !ARCHITECTURES.contains(System.getProperty("os.arch"))) {
      return missing("This is " + system + "; verbs need Linux on amd64 or aarch64.");
    }
    // Before the libraries: loading one has the JVM warn where native access was not enabled, and a
    // host without RDMA has nothing to be warned of.
    if (!Files.isWritable(CONNECTION_MANAGER)) {
      return missing(
          CONNECTION_MANAGER
              + " is not there or may not be used. Load the kernel's modules ('modprobe rdma_ucm'; in"
              + " a container pass --device=/dev/infiniband), or try RDMA without a device: 'modprobe"
              + " rdma_rxe; rdma link add rxe0 type rxe netdev eth0'.");
    }
    Optional<String> library = Libraries.missing();
    if (library.isPresent()) {
      return missing(
          library.get()
              + " cannot be loaded. Install it: 'apt-get install libibverbs1 librdmacm1"
              + " ibverbs-providers', or 'dnf install libibverbs librdmacm'.");
    }
    return Optional.empty();
  }

  /** Everything is there, only no device is. */
  static VerbsException noDevice() {
    return new VerbsException(
        PROBE,
        Errno.ENODEV,
        "No verbs device is there. 'rdma link show' lists devices; 'rdma link add rxe0 type rxe"
            + " netdev eth0' makes one of a network interface.");
  }

  static VerbsException unexpected(IOException failure) {
    return new VerbsException(PROBE, Errno.EIO, String.valueOf(failure.getMessage()));
  }

  private static Optional<VerbsException> missing(String cure) {
    return Optional.of(new VerbsException(PROBE, Errno.ENODEV, cure));
  }
}
