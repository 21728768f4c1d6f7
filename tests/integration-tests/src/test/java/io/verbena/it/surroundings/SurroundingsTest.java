package io.verbena.it.surroundings;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.api.CallOptions;
import io.verbena.api.Session;
import io.verbena.channel.BalancedChannel;
import io.verbena.core.VerbenaClient;
import io.verbena.it.JavaProcess;
import io.verbena.it.surroundings.program.Echo;
import io.verbena.it.surroundings.program.EchoRpc;
import io.verbena.it.surroundings.program.Small;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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
  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin", "java").toString();
  private static final List<String> QUICK = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
  private static final String NOBODY = "65534";

  @TempDir(cleanup = CleanupMode.ALWAYS)
  private static Path directory;

  private Jars jars;

  private record Ended(int status, String said) {}

  @BeforeAll
  void ship() throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    jars = new Jars(directory);
  }

  private static Ended run(Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    Path out = Files.createTempFile(directory, "said", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(environment);
    Process process = builder.start();
    boolean ended = process.waitFor(100, TimeUnit.SECONDS);
    process.destroyForcibly();
    assertThat(ended).as("%s ends: %s", command, Files.readString(out)).isTrue();
    return new Ended(process.exitValue(), Files.readString(out, UTF_8));
  }

  /** Runs {@code java} with these words, after those that make it start quickly. */
  private static Ended java(String... words) throws IOException, InterruptedException {
    return run(Map.of(), command(words));
  }

  private static List<String> command(String... words) {
    List<String> command = new ArrayList<>(List.of(JAVA));
    command.addAll(QUICK);
    command.addAll(List.of(words));
    return command;
  }

  private Ended onClassPath(List<String> flags, String... words)
      throws IOException, InterruptedException {
    return java(small(flags, words).toArray(String[]::new));
  }

  private List<String> small(List<String> flags, String... words) {
    List<String> all = new ArrayList<>(flags);
    all.addAll(List.of("-cp", jars.path(), Jars.MAIN));
    all.addAll(List.of(words));
    return all;
  }

  private static void assertCallsSucceed(Ended ended) {
    assertThat(ended.said()).contains("20 calls, by ").doesNotContain("failed");
    assertThat(ended.status()).isZero();
  }

  private static void assertFails(Ended ended, String... words) {
    assertThat(ended.said()).contains(words);
    assertThat(ended.status()).isOne();
  }

  // ---- class loaders and jars ----

  @Test
  void callsSucceedOnAThreadWhoseContextClassLoaderSeesNothing() throws Exception {
    assertCallsSucceed(onClassPath(List.of(), "blind", "both"));
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
    // 4.1 has neither class, and in 4.2.7 the second cannot be extended: hidden, they fail alike.
    for (String newer : List.of("IoHandlerFactory", "ManualIoEventLoop")) {
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
    String linked = jars.linked().toString();
    assertCallsSucceed(run(Map.of(), List.of(linked, "-m", "small/" + Jars.MAIN, "both")));
  }

  // ---- the system ----

  @Test
  void callsSucceedAndARefusalIsToldUnderAGermanLocale() throws Exception {
    Map<String, String> german = Map.of("LC_ALL", "de_DE.UTF-8", "LANGUAGE", "de");
    List<String> flags = List.of("-Duser.language=de", "-Duser.country=DE");
    String[] both = small(flags, "both").toArray(String[]::new);
    assertCallsSucceed(run(german, command(both)));
    String nobody = "127.0.0.1:" + freePort();
    String[] call = small(flags, "call", "tcp://" + nobody).toArray(String[]::new);
    assertFails(run(german, command(call)), nobody);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Test
  void callsSucceedWithinAContainersLimits() throws Exception {
    assertCallsSucceed(
        onClassPath(
            List.of("-XX:ActiveProcessorCount=1", "-Xmx24m", "-XX:MaxDirectMemorySize=32m"),
            "both"));
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
    String java = String.join(" ", command("-jar", jar.toString())) + " " + String.join(" ", words);
    List<String> shell = List.of("bash", "-c", limit + " && exec " + java);
    if (!"root".equals(user())) {
      return run(Map.of(), shell);
    }
    List<String> asNobody = new ArrayList<>(List.of("setpriv", "--reuid=" + NOBODY));
    asNobody.addAll(List.of("--regid=" + NOBODY, "--clear-groups"));
    return run(Map.of(), Stream.concat(asNobody.stream(), shell.stream()).toList());
  }

  // ---- what stands between, and beside ----

  /** Returns where a server listens, which it prints. */
  private static String address(JavaProcess server) throws IOException {
    String line = server.line();
    while (!line.startsWith("tcp://")) {
      line = server.line(); // of its log
    }
    return line;
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
