package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.core.VerbenaServer;
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A program from whose class path somebody has left one of the gateway's libraries out. */
class LackingLibrariesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "netty-codec-http",
        "netty-codec-haproxy",
        "netty-codec-base",
        "jackson-databind",
        "codec-json"
      })
  void itsServerSaysSoInsteadOfStarting(String library) throws Exception {
    try (URLClassLoader lacking = without(library)) {
      Callable<?> program =
          (Callable<?>)
              lacking.loadClass(Program.class.getName()).getDeclaredConstructor().newInstance();
      assertThat(String.valueOf(program.call()))
          .contains("lacks a library", "NoClassDefFoundError", "io.verbena:http-gateway");
    }
  }

  private static URLClassLoader without(String library) throws Exception {
    List<URL> rest = new ArrayList<>();
    String classPath = System.getProperty("java.class.path");
    for (String one : Pattern.compile(File.pathSeparator).splitAsStream(classPath).toList()) {
      if (!one.contains("/" + library + "-") && !one.contains("/" + library + "/")) {
        rest.add(Path.of(one).toUri().toURL());
      }
    }
    return new URLClassLoader(rest.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }

  /** Starts a server; returns why it does not. */
  public static final class Program implements Callable<String> {
    @Override
    public String call() {
      try (VerbenaServer server =
          VerbenaServer.builder().listen("127.0.0.1:0").gateway(new HttpGateway()).start()) {
        return "listens at " + server.address();
      } catch (IllegalStateException e) {
        return e.toString();
      }
    }
  }
}
