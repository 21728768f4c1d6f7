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
import java.security.CodeSource;
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
  private static final StackWalker CALLERS =
      StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
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
    String others = otherDisni(CALLERS.getCallerClass().getClassLoader());
    if (!others.isEmpty()) {
      return Optional.of(none(others));
    }
    Optional<VerbsProvider> provider =
        ServiceLoader.load(VerbsProvider.class, DisniBridge.class.getClassLoader()).stream()
            .map(ServiceLoader.Provider::get)
            .max(Comparator.comparingInt(VerbsProvider::priority));
    if (provider.isEmpty()) {
      return Optional.of(none("no verbs provider is on the path: add io.verbena:verbs-ffm."));
    }
    Optional<VerbsException> problem = provider.get().problem();
    if (problem.isEmpty()) {
      put(provider.get());
    }
    return problem;
  }

  /**
   * Makes {@code provider} the one that {@link RdmaEventChannel#createEventChannel()} uses.
   *
   * @throws IllegalStateException if the program has classes of DiSNI's of its own, for which this
   *     would have no effect; the message has the cure
   */
  public static void install(VerbsProvider provider) {
    String others = otherDisni(CALLERS.getCallerClass().getClassLoader());
    if (!others.isEmpty()) {
      throw new IllegalStateException(others);
    }
    put(provider);
  }

  private static void put(VerbsProvider provider) {
    UnderDisni.ensure();
    if (!(underDisni() instanceof DisniBridge)) {
      UnderDisni.use(new DisniBridge()); // whose class loader UnderDisni's does not see
    }
    installed = provider;
  }

  private static RdmaProvider underDisni() {
    try {
      return RdmaProvider.provider();
    } catch (IOException e) {
      throw new IllegalStateException("There is one, so that DiSNI makes none of its own", e);
    }
  }

  /**
   * Returns what to do where a program that calls this has other classes of DiSNI's than this
   * module; empty where it has the same, or none.
   *
   * @param callers null for the boot loader
   */
  private static String otherDisni(@Nullable ClassLoader callers) {
    try {
      Class<?> its = Class.forName(RdmaProvider.class.getName(), false, callers);
      if (its != RdmaProvider.class) {
        return ("the program's DiSNI, which %s loads from %s, is not the one below Verbena, from"
                + " %s. Have DiSNI once: leave its jar out of the program, or put verbs-disni,"
                + " verbs-ext and the provider (verbs-ffm) beside the program's and nowhere"
                + " above.")
            .formatted(its.getClassLoader(), source(its), source(RdmaProvider.class));
      }
    } catch (ClassNotFoundException | LinkageError e) {
      // It calls nothing of DiSNI's.
    }
    return "";
  }

  private static String source(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    return source == null ? "an unknown place" : String.valueOf(source.getLocation());
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
