package io.verbena.verbs.ext;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.RdmaProvider;
import com.ibm.disni.verbs.RdmaVerbs;
import java.io.IOException;
import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;

/**
 * The one RdmaProvider behind DiSNI's static entry points, which leads every call to the provider
 * of the object it is made on, so that a real device and any number of fabrics live in one JVM.
 *
 * <p>An unmodified DiSNI program needs {@code DisniBridge.install(provider)} before its first DiSNI
 * object, which the launcher of verbs-ffm does for it; its event channels are then that provider's.
 * Programs that hold a {@link VerbsProvider} need not install it. All methods are safe for use by
 * several threads.
 */
public final class DisniBridge extends RdmaProvider {
  private static final DisniBridge INSTANCE = new DisniBridge();
  private static final int DISNI_VERSION = 32;

  private final RdmaCm cm = new BridgeCm(this);
  private final RdmaVerbs verbs = new BridgeVerbs();
  private volatile @Nullable VerbsProvider installed;

  static {
    DisniHelpers.replace();
    putUnderDisni(INSTANCE);
  }

  private DisniBridge() {}

  /**
   * Makes sure that the bridge stands under DiSNI. Providers call it before their first DiSNI
   * object, whose constructors ask DiSNI for its provider.
   */
  public static void ensure() {
    // Loading the class did it.
  }

  /** Makes {@code provider} the one that {@link RdmaEventChannel#createEventChannel()} uses. */
  public static void install(VerbsProvider provider) {
    INSTANCE.installed = provider;
  }

  RdmaEventChannel createEventChannel() throws IOException {
    VerbsProvider provider = installed;
    if (provider == null) {
      throw new VerbsException(
          "rdma_create_event_channel",
          Errno.ENODEV,
          "no verbs provider is installed. Call DisniBridge.install(provider) first.");
    }
    return provider.createEventChannel();
  }

  @Override
  public RdmaCm openCm() {
    return cm;
  }

  @Override
  public RdmaVerbs openVerbs() {
    return verbs;
  }

  /** DiSNI asks for the version of its JNI library; this is the one its 2.1 jar expects. */
  @Override
  public int getVersion() {
    return DISNI_VERSION;
  }

  @SuppressWarnings("LockOnNonEnclosingClassLiteral") // the lock that RdmaProvider.provider() takes
  private static void putUnderDisni(RdmaProvider bridge) {
    try {
      Field provider = RdmaProvider.class.getDeclaredField("provider");
      provider.setAccessible(true);
      synchronized (RdmaProvider.class) {
        provider.set(null, bridge);
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "RdmaProvider.provider cannot be set: this DiSNI is not the 2.1 that Verbena needs.", e);
    }
  }
}
