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
 * The RdmaProvider behind DiSNI's static entry points. It forwards every call to the provider of
 * the object, so that a real device and any number of fabrics can share one JVM.
 *
 * <p>An unmodified DiSNI program needs {@link #install()} before its first DiSNI object, which
 * {@link Launch} calls; its event channels then belong to that provider. Programs that use a {@link
 * VerbsProvider} directly need not install it. All methods are safe for use by several threads.
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

  /** Called by {@code ServiceLoader}, through which {@link UnderDisni} finds it. */
  public DisniBridge() {}

  /**
   * Makes DiSNI's API use the devices of this machine, by the provider on the path. Call it before
   * the first DiSNI object is made.
   *
   * @return the reason that they cannot be used here, with the cure; nothing is installed then.
   *     Empty after success
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
   * Makes {@link RdmaEventChannel#createEventChannel()} use {@code provider}.
   *
   * @throws IllegalStateException if the program has its own classes of DiSNI, for which this would
   *     have no effect; the message says what to do
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
      UnderDisni.use(new DisniBridge()); // UnderDisni's class loader does not see it
    }
    installed = provider;
  }

  private static RdmaProvider underDisni() {
    try {
      return RdmaProvider.provider();
    } catch (IOException e) {
      throw new IllegalStateException(
          "This provider exists so that DiSNI makes none of its own", e);
    }
  }

  /**
   * Returns the cure if a calling program has other classes of DiSNI than this module; empty if it
   * has the same, or none.
   *
   * @param callers null for the boot loader
   */
  private static String otherDisni(@Nullable ClassLoader callers) {
    try {
      Class<?> its = Class.forName(RdmaProvider.class.getName(), false, callers);
      if (its != RdmaProvider.class) {
        return ("the program's DiSNI, which %s loads from %s, is not the one that Verbena uses, from %s. Use only one: leave its jar out of the program, or put verbs-disni,"
                + " verbs-ext and the provider (verbs-ffm) beside the program's and nowhere"
                + " above.")
            .formatted(its.getClassLoader(), source(its), source(RdmaProvider.class));
      }
    } catch (ClassNotFoundException | LinkageError e) {
      // The program does not use DiSNI.
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
