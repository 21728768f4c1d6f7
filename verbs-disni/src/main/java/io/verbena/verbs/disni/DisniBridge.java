package io.verbena.verbs.disni;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.RdmaProvider;
import com.ibm.disni.verbs.RdmaVerbs;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.UnderDisni;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsProvider;
import java.io.IOException;
import java.util.Comparator;
import java.util.Optional;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * The one RdmaProvider behind DiSNI's static entry points, which leads every call to the provider
 * of the object it is made on, so that a real device and any number of fabrics live in one JVM.
 *
 * <p>An unmodified DiSNI program needs {@link #install()} before its first DiSNI object, which
 * {@link Launch} does for it; its event channels are then that provider's. Programs that hold a
 * {@link VerbsProvider} need not install it. All methods are safe for use by several threads.
 */
public final class DisniBridge extends RdmaProvider {
  private static volatile @Nullable VerbsProvider installed;

  static {
    DisniHelpers.replace();
  }

  private final RdmaCm cm = new BridgeCm();
  private final RdmaVerbs verbs = new BridgeVerbs();

  /** For {@code ServiceLoader}, by which {@link UnderDisni} finds it. */
  public DisniBridge() {}

  /**
   * Puts the devices of this machine under DiSNI's API, by the provider that is on the path; call
   * it before the first DiSNI object is made.
   *
   * @return why they cannot be used here, with the cure; nothing is installed then. Empty when all
   *     is well.
   */
  public static Optional<VerbsException> install() {
    Optional<VerbsProvider> provider =
        ServiceLoader.load(VerbsProvider.class, DisniBridge.class.getClassLoader()).stream()
            .map(ServiceLoader.Provider::get)
            .max(Comparator.comparingInt(VerbsProvider::priority));
    if (provider.isEmpty()) {
      return Optional.of(none("no verbs provider is on the path: add io.verbena:verbs-ffm."));
    }
    Optional<VerbsException> problem = provider.get().problem();
    if (problem.isEmpty()) {
      install(provider.get());
    }
    return problem;
  }

  /** Makes {@code provider} the one that {@link RdmaEventChannel#createEventChannel()} uses. */
  public static void install(VerbsProvider provider) {
    UnderDisni.ensure();
    installed = provider;
  }

  static RdmaEventChannel createEventChannel() throws IOException {
    VerbsProvider provider = installed;
    if (provider == null) {
      throw none("no verbs provider is installed. Call DisniBridge.install() first.");
    }
    return provider.createEventChannel();
  }

  private static VerbsException none(String cure) {
    return new VerbsException("rdma_create_event_channel", Errno.ENODEV, cure);
  }

  @Override
  public RdmaCm openCm() {
    return cm;
  }

  @Override
  public RdmaVerbs openVerbs() {
    return verbs;
  }

  @Override
  public int getVersion() {
    return UnderDisni.DISNI_VERSION;
  }
}
