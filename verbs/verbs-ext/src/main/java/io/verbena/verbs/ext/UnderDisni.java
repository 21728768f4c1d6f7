package io.verbena.verbs.ext;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaProvider;
import com.ibm.disni.verbs.RdmaVerbs;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * The RdmaProvider that the constructors of DiSNI's objects need; without it they would load
 * libdisni. If verbs-disni is on the path, it is that module's, which implements DiSNI's own calls
 * ({@code RdmaVerbs}, {@code RdmaCm}). Otherwise objects have only the methods that their provider
 * overrides, and the extensions of this package. Another call of DiSNI then throws a
 * NullPointerException that names one of those two classes.
 */
public final class UnderDisni extends RdmaProvider {
  /** DiSNI asks for the version of its JNI library. This is the one that its 2.1 jar expects. */
  public static final int DISNI_VERSION = 32;

  static {
    use(found());
  }

  private UnderDisni() {}

  private static RdmaProvider found() {
    try {
      return ServiceLoader.load(RdmaProvider.class, UnderDisni.class.getClassLoader())
          .findFirst()
          .orElseGet(UnderDisni::new);
    } catch (ServiceConfigurationError e) { // a provider that uses other classes of DiSNI
      return new UnderDisni();
    }
  }

  /**
   * Makes sure that the provider is installed. Verbs providers call this before their first DiSNI
   * object. Safe for use by any thread.
   */
  public static void ensure() {
    // Loading this class has installed it.
  }

  @Override
  public @Nullable RdmaCm openCm() {
    return null;
  }

  @Override
  public @Nullable RdmaVerbs openVerbs() {
    return null;
  }

  @Override
  public int getVersion() {
    return DISNI_VERSION;
  }

  /**
   * Installs another provider, for objects that are made from here on.
   *
   * @throws IllegalStateException if DiSNI does not allow it; the message says what to do
   */
  @SuppressWarnings("LockOnNonEnclosingClassLiteral") // the lock that RdmaProvider.provider() takes
  public static void use(RdmaProvider underneath) {
    try {
      Field provider = RdmaProvider.class.getDeclaredField("provider");
      provider.setAccessible(true);
      synchronized (RdmaProvider.class) {
        provider.set(null, underneath);
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "RdmaProvider.provider cannot be set: this DiSNI is not the 2.1 that Verbena needs.", e);
    } catch (InaccessibleObjectException e) {
      throw new IllegalStateException(
          "RdmaProvider.provider cannot be set. Start java with --add-opens %s/%s=%s"
              .formatted(
                  RdmaProvider.class.getModule().getName(),
                  RdmaProvider.class.getPackageName(),
                  Objects.requireNonNullElse(
                      UnderDisni.class.getModule().getName(), "ALL-UNNAMED")),
          e);
    }
  }
}
