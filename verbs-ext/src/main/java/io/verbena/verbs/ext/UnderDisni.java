package io.verbena.verbs.ext;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaProvider;
import com.ibm.disni.verbs.RdmaVerbs;
import java.lang.reflect.Field;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/**
 * The RdmaProvider that constructors of DiSNI's objects ask for, and that would load libdisni
 * otherwise. Where verbs-disni is on the path, it is that module's, which implements DiSNI's own
 * calls ({@code RdmaVerbs}, {@code RdmaCm}); else objects have only what their provider overrides
 * and the extensions of this package.
 */
public final class UnderDisni extends RdmaProvider {
  /** DiSNI asks for the version of its JNI library; this is the one its 2.1 jar expects. */
  public static final int DISNI_VERSION = 32;

  static {
    put(
        ServiceLoader.load(RdmaProvider.class, UnderDisni.class.getClassLoader())
            .findFirst()
            .orElseGet(UnderDisni::new));
  }

  private UnderDisni() {}

  /**
   * Makes sure that it is there. Providers call it before their first DiSNI object. Safe for any
   * thread.
   */
  public static void ensure() {
    // Loading the class did it.
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

  @SuppressWarnings("LockOnNonEnclosingClassLiteral") // the lock that RdmaProvider.provider() takes
  private static void put(RdmaProvider underneath) {
    try {
      Field provider = RdmaProvider.class.getDeclaredField("provider");
      provider.setAccessible(true);
      synchronized (RdmaProvider.class) {
        provider.set(null, underneath);
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "RdmaProvider.provider cannot be set: this DiSNI is not the 2.1 that Verbena needs.", e);
    }
  }
}
