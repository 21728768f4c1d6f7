package io.verbena.verbs.disni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.RdmaProvider;
import com.ibm.disni.verbs.RdmaVerbs;
import io.verbena.verbs.ext.UnderDisni;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsProvider;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** It is to be under the DiSNI that the program has, or to say why it cannot be. */
class DisniBridgeTest {
  private static final VerbsProvider NO_DEVICE =
      (VerbsProvider)
          Proxy.newProxyInstance(
              VerbsProvider.class.getClassLoader(),
              new Class<?>[] {VerbsProvider.class},
              (self, method, arguments) -> {
                throw new VerbsException(method.getName(), 5, "there is no device.");
              });

  /** As UnderDisni is where its class loader does not see this module. */
  private static final class Bare extends RdmaProvider {
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
      return UnderDisni.DISNI_VERSION;
    }
  }

  @Test
  void takesThePlaceOfOneThatHasNoCallsOfDisnis() {
    UnderDisni.ensure();
    UnderDisni.use(new Bare());
    DisniBridge.install(NO_DEVICE);
    assertThatThrownBy(RdmaEventChannel::createEventChannel)
        .isInstanceOf(VerbsException.class)
        .hasMessageContaining("there is no device.");
  }

  /** Calls, from whatever class loader it is of. */
  public static final class Program {
    private Program() {}

    /** Returns why it has no effect. */
    public static String install() {
      return DisniBridge.install().map(VerbsException::cure).orElse("");
    }

    /** Fails with the same words. */
    public static void installThis(VerbsProvider provider) {
      DisniBridge.install(provider);
    }
  }

  /** Has DiSNI and the program itself, and all else of its parent. */
  private static final class ProgramsLoader extends URLClassLoader {
    ProgramsLoader(URL... urls) {
      super("program", urls, DisniBridge.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith("com.ibm.disni.") && !name.equals(Program.class.getName())) {
        return super.loadClass(name, resolve);
      }
      Class<?> known = findLoadedClass(name);
      return known == null ? findClass(name) : known;
    }
  }

  private static URL place(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation();
  }

  @Test
  void saysWhatToDoWhereTheProgramsDisniIsAnother() throws Exception {
    URL jar = place(RdmaProvider.class);
    try (ProgramsLoader loader = new ProgramsLoader(jar, place(Program.class))) {
      Class<?> program = loader.loadClass(Program.class.getName());
      assertThat((String) program.getMethod("install").invoke(null))
          .startsWith("the program's DiSNI, which ")
          .contains(jar.toString(), "Use only one");
      Method installThis = program.getMethod("installThis", VerbsProvider.class);
      assertThatThrownBy(() -> installThis.invoke(null, NO_DEVICE))
          .hasCauseInstanceOf(IllegalStateException.class)
          .hasStackTraceContaining("Use only one");
    }
  }
}
