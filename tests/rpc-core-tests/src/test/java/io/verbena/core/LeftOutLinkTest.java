package io.verbena.core;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The core has no link of its own, and says which module has the one that is missing. */
public class LeftOutLinkTest {
  /** Starts a server. */
  public static final class Listening implements Function<String, Object> {
    @Override
    public Object apply(String address) {
      return VerbenaServer.builder().listen(address).start();
    }
  }

  /** Makes a client that compresses from so many bytes. */
  public static final class Compressing implements Function<String, Object> {
    @Override
    public Object apply(String bytes) {
      return VerbenaClient.builder().compressFromBytes(Integer.parseInt(bytes)).build();
    }
  }

  @ParameterizedTest
  @CsvSource({"mem://orders, rpc-mem", "tcp://127.0.0.1:0, rpc-tcp-fallback"})
  void namesItsModule(String address, String module) throws Exception {
    assertFails(
        Listening.class,
        address,
        "Add io.verbena:" + module + " to the class path.",
        "rpc-mem",
        "rpc-tcp");
  }

  @Test
  void compressionThatWasLeftOutIsNamedWithItsCure() throws Exception {
    assertFails(
        Compressing.class,
        "1024",
        "compressFromBytes is set, but no compression is on the class path. Add"
            + " io.verbena:compression-lz4 to the class path.",
        "rpc-mem",
        "rpc-tcp",
        "lz4");
  }

  @Test
  void theLibraryThatCompressionNeedsIsNamedWhereItWasExcluded() throws Exception {
    assertFails(
        Compressing.class,
        "1024",
        "compression-lz4 needs at.yawk.lz4:lz4-java: check that the build includes it.",
        "lz4-java");
  }

  /** Has it done by classes without those of some entries of the class path. */
  private static void assertFails(
      Class<? extends Function<String, Object>> type, String with, String message, String... out)
      throws Exception {
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    try (URLClassLoader alone =
        new URLClassLoader(classPath(List.of(out)), ClassLoader.getPlatformClassLoader())) {
      @SuppressWarnings("unchecked")
      Function<String, Object> work =
          (Function<String, Object>)
              alone.loadClass(type.getName()).getDeclaredConstructor().newInstance();
      Thread.currentThread().setContextClassLoader(alone);
      assertThatThrownBy(() -> work.apply(with))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(message);
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
  }

  private static URL[] classPath(List<String> without) throws MalformedURLException {
    List<URL> path = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, 0)) {
      if (without.stream().noneMatch(entry::contains)) {
        path.add(Path.of(entry).toUri().toURL());
      }
    }
    return path.toArray(URL[]::new);
  }
}
