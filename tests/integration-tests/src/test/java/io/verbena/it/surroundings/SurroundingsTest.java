package io.verbena.it.surroundings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.api.CallOptions;
import io.verbena.api.Session;
import io.verbena.channel.BalancedChannel;
import io.verbena.core.VerbenaClient;
import io.verbena.it.surroundings.program.Echo;
import io.verbena.it.surroundings.program.EchoRpc;
import io.verbena.it.surroundings.program.Small;
import io.verbena.testkit.JavaProcess;
import io.verbena.testkit.JavaProcess.Ended;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The small program in the surroundings of its users, each in a process of its own. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("long")
class SurroundingsTest {
  private static final String NOBODY = "65534";

  @TempDir(cleanup = CleanupMode.ALWAYS)
  private static Path directory;

  private Jars jars;

  @BeforeAll
  void ship() throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    jars = new Jars(directory);
  }

  private static Ended run(JavaProcess.Builder java) throws IOException, InterruptedException {
    return java.run(Duration.ofSeconds(100));
  }

  /** Runs {@code java} with these words. */
  private static Ended java(String... words) throws IOException, InterruptedException {
    return run(JavaProcess.of(words));
  }

  private JavaProcess.Builder small(String... words) {
    return JavaProcess.of("-cp", jars.path(), Jars.MAIN).arguments(words);
  }

  private static void assertCallsSucceed(Ended ended) {
    assertThat(ended.out()).contains("20 calls, by ").doesNotContain("failed");
    assertThat(ended.status()).isZero();
  }

  private static void assertFails(Ended ended, String... words) {
    assertThat(ended.out()).contains(words);
    assertThat(ended.status()).isOne();
  }

  // ---- class loaders and jars ----

  @Test
  void callsSucceedOnAThreadWhoseContextClassLoaderSeesNothing() throws Exception {
    assertCallsSucceed(run(small("blind", "both")));
  }

  @Test
  void callsSucceedInASpringBootJarOnTheCommonPool() throws Exception {
    assertCallsSucceed(java("-jar", jars.springBoot().toString(), "on-common-pool", "both"));
  }

  @Test
  void aShadedJarWhoseServicesWereMergedMakesCalls() throws Exception {
    assertCallsSucceed(java("-jar", jars.shaded(true).toString(), "both"));
  }

  @Test
  void aShadedJarThatLostAFileOfServicesSaysSoAndWhatMergesThem() throws Exception {
    Ended ended = java("-jar", jars.shaded(false).toString(), "both");
    assertFails(
        ended,
        "io.verbena.tcp.TcpLinkProvider is there",
        "META-INF/services/io.verbena.link.LinkProvider",
        "ServicesResourceTransformer");
  }

  @Test
  void anOlderNettyInFrontIsNamedWithTheCure() throws Exception {
    // 4.1 has neither class.
    for (String newer : List.of("IoHandlerFactory", "IoEventLoop")) {
      String without = jars.withoutClass("netty-transport", "io/netty/channel/" + newer);
      assertFails(
          java("-cp", without, Jars.MAIN, "both"),
          "TCP links need Netty 4.2, 4.2.8 or later",
          "io.netty:netty-bom:4.2");
    }
  }

  @Test
  void aModuleOfNettyThatWasExcludedIsNamedWithTheCure() throws Exception {
    String without = jars.path("netty-transport-classes-epoll");
    assertFails(
        java("-cp", without, Jars.MAIN, "both"),
        "io/netty/channel/epoll/",
        "exclude none of the modules of Netty");
  }

  // ---- modules ----

  @Test
  void callsSucceedOnTheModulePathWithEveryLink() throws Exception {
    assertCallsSucceed(java("-p", jars.path(), "-m", "small/" + Jars.MAIN, "both"));
  }

  @Test
  void callsSucceedInALinkedImage() throws Exception {
    JavaProcess.Builder small = JavaProcess.of("-m", "small/" + Jars.MAIN, "both");
    assertCallsSucceed(run(small.java(jars.linked())));
  }

  // ---- the system ----

  @Test
  void callsSucceedAndARefusalIsToldUnderAGermanLocale() throws Exception {
    Map<String, String> german = Map.of("LC_ALL", "de_DE.UTF-8", "LANGUAGE", "de");
    List<String> options = List.of("-Duser.language=de", "-Duser.country=DE");
    assertCallsSucceed(run(small("both").options(options).environment(german)));
    String nobody = "127.0.0.1:" + freePort();
    JavaProcess.Builder call = small("call", "tcp://" + nobody);
    assertFails(run(call.options(options).environment(german)), nobody);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Test
  void callsSucceedWithinAContainersLimits() throws Exception {
    assertCallsSucceed(
        run(
            small("both")
                .options("-XX:ActiveProcessorCount=1", "-Xmx24m", "-XX:MaxDirectMemorySize=32m")));
  }

  @Test
  void callsSucceedWithFewThreadsAndFewFiles() throws Exception {
    assertCallsSucceed(limited("ulimit -n 64", jars.shaded(true), "both"));
    assumeTrue(new File("/usr/bin/setpriv").canExecute() && "root".equals(user()));
    assertCallsSucceed(limited("ulimit -u 40", jars.shaded(true), "both"));
  }

  private static String user() {
    return System.getProperty("user.name", "");
  }

  /** Runs a jar under a limit, as a user without privileges where that is possible. */
  private static Ended limited(String limit, Path jar, String... words)
      throws IOException, InterruptedException {
    JavaProcess.Builder java = JavaProcess.of("-jar", jar.toString()).arguments(words);
    if ("root".equals(user())) {
      java.under(List.of("setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups"));
    }
    return run(java.after(limit));
  }

  // ---- what stands between, and beside ----

  /** Returns where a server listens, which it prints. */
  private static String address(JavaProcess server) throws IOException {
    return "tcp://" + server.lineAfter("tcp://");
  }

  private static int port(String address) {
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  @Test
  void callsGoOnWhereABalancerMovesConnectionsToAnotherServer() throws Exception {
    try (JavaProcess first = JavaProcess.start(Small.class, "serve");
        JavaProcess second = JavaProcess.start(Small.class, "serve");
        Forwarder balancer = new Forwarder(port(address(first)));
        VerbenaClient client = VerbenaClient.builder().build();
        BalancedChannel channel =
            BalancedChannel.builder(client, "static:127.0.0.1:" + balancer.port())
                .waitForReady()
                .build()) {
      Echo echo = EchoRpc.client(channel, CallOptions.DEFAULT);
      Set<Long> answered = new HashSet<>(Set.of(echo.say("before").process()));
      balancer.moveTo(port(address(second)));
      for (int i = 0; i < 20; i++) {
        answered.add(echo.say("after").process());
      }
      assertThat(answered).containsExactlyInAnyOrder(first.process().pid(), second.process().pid());
    }
  }

  @Test
  void newSessionsAreServedWhileHandlersBurnBothProcessors() throws Exception {
    try (JavaProcess server =
            JavaProcess.start(List.of("-XX:ActiveProcessorCount=2"), Small.class, "serve");
        VerbenaClient busy = VerbenaClient.builder().build();
        VerbenaClient other = VerbenaClient.builder().build()) {
      String address = address(server);
      EchoRpc.Async burning = EchoRpc.async(busy.connect(address));
      for (int i = 0; i < 4; i++) {
        var _ = burning.burn(3_000);
      }
      try (Session session = other.connect(address)) {
        assertThat(EchoRpc.client(session).say("beside them").word()).isEqualTo("beside them");
      }
    }
  }
}
