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
    return libraries();
  }

  /** What keeps the libraries from being called, whatever the kernel has. Never throws. */
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

  /** Everything is there, only no device is. */
  static VerbsException noDevice() {
    return new VerbsException(
        PROBE,
        Errno.ENODEV,
        "No verbs device is there. 'rdma link show' lists devices; 'rdma link add rxe0 type rxe"
            + " netdev eth0' makes one of a network interface.");
  }

  /** Whatever was thrown on the way to the devices, with its cure where one is known. */
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

  /** Failures of ours say themselves what to do; others are named by their class. */
  private static String words(Throwable thrown) {
    return thrown instanceof IOException || thrown instanceof IllegalStateException
        ? String.valueOf(thrown.getMessage())
        : thrown.toString();
  }

  private static Optional<VerbsException> missing(String cure) {
    return Optional.of(new VerbsException(PROBE, Errno.ENODEV, cure));
  }
}
