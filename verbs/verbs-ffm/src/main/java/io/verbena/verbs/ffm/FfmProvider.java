package io.verbena.verbs.ffm;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.verbena.verbs.ext.HostAddress;
import io.verbena.verbs.ext.UnderDisni;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsProvider;
import io.verbena.verbs.ext.WaitSet;
import io.verbena.verbs.ffm.cm.FfmEventChannel;
import io.verbena.verbs.ffm.device.Devices;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The real verbs devices of this machine. Java calls libibverbs and librdmacm directly, without
 * native code.
 *
 * <p>All instances share the same devices. Safe for use by any thread.
 */
public final class FfmProvider implements VerbsProvider {
  private static final FfmProvider SHARED = new FfmProvider();
  private static final Devices DEVICES = new Devices(SHARED);

  static {
    UnderDisni.ensure();
  }

  /** For {@code ServiceLoader}, which needs its own instance. Other callers use the shared one. */
  public FfmProvider() {}

  /** Returns the provider that the devices name as theirs. It costs nothing until it is used. */
  public static FfmProvider shared() {
    return SHARED;
  }

  @Override
  public String name() {
    return "ffm";
  }

  @Override
  public Optional<VerbsException> problem() {
    Optional<VerbsException> missing = Prerequisites.problem();
    if (missing.isPresent()) {
      return missing;
    }
    try {
      if (Devices.onlyWithoutConnections(Path.of("/sys/class/infiniband"))) {
        return Optional.of(Prerequisites.noConnections());
      }
      return DEVICES.all().isEmpty() ? Optional.of(Prerequisites.noDevice()) : Optional.empty();
    } catch (VerbsException e) {
      return Optional.of(e);
    } catch (Throwable thrown) { // foreign functions throw more than IOException
      return Optional.of(Prerequisites.unexpected(thrown));
    }
  }

  @Override
  public RdmaEventChannel createEventChannel() throws IOException {
    require();
    return FfmEventChannel.create(DEVICES);
  }

  @Override
  public List<IbvContext> devices() throws IOException {
    require();
    return DEVICES.all();
  }

  @Override
  public List<HostAddress> hostAddresses() throws IOException {
    return HardwareAddresses.of(Path.of("/sys/class/net"));
  }

  @Override
  public WaitSet newWaitSet() throws IOException {
    require();
    return new FfmWaitSet();
  }

  private static void require() throws IOException {
    Optional<VerbsException> missing = Prerequisites.problem();
    if (missing.isPresent()) {
      throw missing.get();
    }
  }
}
