package io.verbena.verbs.ffm;

import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ffm.lib.Libraries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/** The prerequisites of verbs. A missing one is a value with its cure. */
final class Prerequisites {
  private static final String PROBE = "the search for verbs devices";
  private static final Path CONNECTION_MANAGER = Path.of("/dev/infiniband/rdma_cm");

  /** amd64 is always tested. aarch64 was tested once, under emulation. */
  private static final Set<String> ARCHITECTURES = Set.of("amd64", "aarch64");

  private Prerequisites() {}

  /** Returns the first missing prerequisite: platform, the kernel's RDMA, or a library. */
  static Optional<VerbsException> problem() {
    String system = System.getProperty("os.name") + " on " + System.getProperty("os.arch");
    if (!system.startsWith("Linux") || !ARCHITECTURES.contains(System.getProperty("os.arch"))) {
      return missing("This is " + system + "; verbs need Linux on amd64 or aarch64.");
    }
    // This check precedes the libraries. Loading one makes the JVM warn if native access was not
    // enabled, and a host without RDMA needs no such warning.
    if (!Files.isWritable(CONNECTION_MANAGER)) {
      return missing(
          CONNECTION_MANAGER
              + " is not there or not writable. Load the kernel's modules ('modprobe rdma_ucm'; in"
              + " a container pass --device=/dev/infiniband), or try RDMA without a device: 'modprobe"
              + " rdma_rxe; rdma link add rxe0 type rxe netdev eth0'.");
    }
    return libraries();
  }

  /** Returns the reason why the libraries cannot be called, for any kernel. Never throws. */
  static Optional<VerbsException> libraries() {
    try {
      return missingLibrary().or(Prerequisites::unboundFunction);
    } catch (Throwable thrown) {
      return Optional.of(unexpected(thrown));
    }
  }

  private static Optional<VerbsException> unboundFunction() {
    return Optional.ofNullable(Libraries.obstacle()).map(Prerequisites::unexpected);
  }

  private static Optional<VerbsException> missingLibrary() {
    Optional<String> library = Libraries.missing();
    if (library.isPresent()) {
      return missing(
          library.get()
              + " cannot be loaded. Install it: 'apt-get install libibverbs1 librdmacm1"
              + " ibverbs-providers', or 'dnf install libibverbs librdmacm'.");
    }
    return Optional.empty();
  }

  /** Returns the failure of a host whose devices no connection can use. */
  static VerbsException noConnections() {
    return new VerbsException(
        PROBE,
        Errno.EOPNOTSUPP,
        "All devices are AWS's EFA, which has no reliable connections. Sessions stay on TCP.");
  }

  /** Returns the failure of a host that has all prerequisites, but no device. */
  static VerbsException noDevice() {
    return new VerbsException(
        PROBE,
        Errno.ENODEV,
        "There is no verbs device. 'rdma link show' lists devices; 'rdma link add rxe0 type rxe"
            + " netdev eth0' makes one from a network interface.");
  }

  /** Returns an exception from the search for devices as a failure, with its cure if known. */
  static VerbsException unexpected(Throwable thrown) {
    VerbsException failure =
        thrown instanceof IllegalCallerException
            ? new VerbsException(
                PROBE,
                Errno.EPERM,
                "This JVM denies native access, which verbs need. Start it with"
                    + " --enable-native-access=ALL-UNNAMED, or give the jar that 'java -jar' starts"
                    + " the line 'Enable-Native-Access: ALL-UNNAMED' in its manifest.")
            : new VerbsException(PROBE, Errno.EIO, words(thrown));
    failure.initCause(thrown);
    return failure;
  }

  /** Verbena's exceptions contain the cure. Other exceptions are shown with their class. */
  private static String words(Throwable thrown) {
    return thrown instanceof IOException || thrown instanceof IllegalStateException
        ? String.valueOf(thrown.getMessage())
        : thrown.toString();
  }

  private static Optional<VerbsException> missing(String cure) {
    return Optional.of(new VerbsException(PROBE, Errno.ENODEV, cure));
  }
}
