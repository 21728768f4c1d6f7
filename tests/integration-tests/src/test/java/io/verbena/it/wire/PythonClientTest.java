package io.verbena.it.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Metadata;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaServer;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.OfferedService;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.frame.SessionKey;
import io.verbena.core.frame.Welcome;
import io.verbena.it.CuttingProxy;
import io.verbena.it.wire.GoldenFrames.Header;
import io.verbena.testkit.Seed;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A client in another language, written from the page on the wire, calls a real server: so the page
 * suffices for it.
 */
class PythonClientTest {
  @BeforeAll
  static void needsPython() {
    Python.assumed();
  }

  private static VerbenaServer.Builder server() {
    return VerbenaServer.builder()
        .listen("127.0.0.1:0")
        .path(PathPolicy.TCP_ONLY)
        .serve(NurseryRpc.bind(new PlainNursery()));
  }

  private static String port(VerbenaServer server) {
    return Integer.toString(server.address().getPort());
  }

  private static List<String> linesOf(String ability) throws Exception {
    try (VerbenaServer server = server().start()) {
      return Python.lines("abilities.py", port(server), ability);
    }
  }

  /** A second implementation is small. */
  @Test
  void isShort() throws IOException {
    assertThat(Files.readAllLines(Path.of(Python.CLIENT, "verbena.py")))
        .hasSizeLessThanOrEqualTo(600);
  }

  @Test
  void readsAndWritesTheGoldenFrames() throws Exception {
    assertThat(Python.lines("golden.py", "src/test/resources/golden-frames.txt"))
        .singleElement()
        .asString()
        .matches("\\d\\d frames, \\d{4} malformed");
  }

  @Test
  void calls() throws Exception {
    assertThat(linesOf("calls"))
        .containsExactly(
            "[\"nursery.v1\"]",
            "{\"name\": \"verbena\", \"heightCm\": 30, \"since\": [2030, 1, 31], \"colours\":"
                + " [\"VIOLET\", \"RED\"], \"pot\": {\"Clay\": {\"litres\": 6}}, \"note\": null}",
            "true",
            "\"7f3a,b\"",
            "1000",
            "[[\"INVALID_ARGUMENT\", \"NOT_EXECUTED\", \"find: AttributeError(\\\"'int' object has"
                + " no attribute 'encode'\\\")\"], [\"UNIMPLEMENTED\", \"NOT_EXECUTED\","
                + " \"nursery.v1 has 0 methods nothing\"], [\"UNIMPLEMENTED\", \"NOT_EXECUTED\","
                + " \"the peer serves ['nursery.v1'], not none\"]]");
  }

  @Test
  void readsDeclaredExceptions() throws Exception {
    assertThat(linesOf("declared"))
        .containsExactly(
            "[\"NoSuchPlant\", \"no 'triffid' grows here\", {\"message\": \"no 'triffid' grows"
                + " here\", \"nearest\": \"verbena\"}]");
  }

  @Test
  @Tag("long")
  void callsOneWay() throws Exception {
    assertThat(linesOf("oneway")).containsExactly("[2000, 0]");
  }

  @Test
  @Tag("long")
  void isCalledBack() throws Exception {
    assertThat(linesOf("callbacks"))
        .containsExactly(
            "[\"1\", \"4\", \"1001 is too large, at most 1000\", \"INTERNAL of KeyError\"]",
            "[\"about to ask 4\"]");
  }

  @Test
  @Tag("long")
  void streamsBothWays() throws Exception {
    assertThat(linesOf("streams"))
        .containsExactly(
            "[500500, 499500, [2, 4, 6]]",
            "500500",
            "[\"PERMISSION_DENIED\", \"EXECUTED\", \"not that one\"]",
            "[1, 2]",
            "[\"INVALID_ARGUMENT\", \"EXECUTED\"]");
  }

  @Test
  @Tag("long")
  void keepsDeadlinesAndCancels() throws Exception {
    assertThat(linesOf("time"))
        .containsExactly(
            "[\"DEADLINE_EXCEEDED\", true]",
            "[\"CANCELLED\", \"UNKNOWN\"]",
            "\"both were interrupted\"");
  }

  @Test
  @Tag("long")
  void goesOnOverOneCutConnectionAfterTheOther() throws Exception {
    long seed = Seed.number("PythonClientTest");
    try (VerbenaServer server = server().start();
        CuttingProxy proxy = new CuttingProxy(server.address(), new Random(seed))) {
      String port = proxy.address().substring(proxy.address().indexOf(':') + 1);
      assertThat(Python.lines("abilities.py", port, "resume"))
          .containsExactly("[200010000, true]", "[true, 50005000]", "[1200, [1], [3000, 0], true]");
      assertThat(proxy.cuts()).isGreaterThan(5);
    }
  }

  @Test
  @Tag("long")
  void refusesValuesBesideAMessage() throws Exception {
    try (VerbenaServer server = server().largeValueBytes(20_000).start()) {
      assertThat(Python.lines("abilities.py", port(server), "bulk"))
          .containsExactly("10000", "[\"RESOURCE_EXHAUSTED\", \"EXECUTED\"]", "1");
    }
  }

  @Test
  @Tag("long")
  void showsAContractToAServerThatTellsNone() throws Exception {
    try (VerbenaServer server = server().tellContracts(false).start()) {
      assertThat(Python.lines("abilities.py", port(server), "untold"))
          .containsExactly("[[\"nursery.v1\"], 1]");
    }
  }

  @Test
  @Tag("long")
  void takesItsStreamsToTheirEndWhereTheServerShutsDown() throws Exception {
    VerbenaServer server = server().start();
    try (Python python = Python.start("abilities.py", port(server), "drain")) {
      assertThat(python.line()).isEqualTo("1");
      CompletableFuture<Void> closed = CompletableFuture.runAsync(server::close);
      python.goOn();
      assertThat(python.rest())
          .containsExactly(
              "[[\"UNAVAILABLE\", \"NOT_EXECUTED\"], 20099]",
              "\"the peer has closed the session\"");
      closed.get(20, TimeUnit.SECONDS);
    } finally {
      server.close();
    }
  }

  // ---- hostile servers ----

  private static byte[] frame(byte[] bytes) {
    return ByteBuffer.allocate(4 + bytes.length).putInt(bytes.length).put(bytes).array();
  }

  private static byte[] welcome() {
    Welcome welcome =
        new Welcome(
            3,
            0,
            new SessionKey(1, 2, 3),
            0,
            new PeerLimits(1 << 20, 1 << 16, 64),
            List.of(new OfferedService("nursery.v1", 0, 0, List.of(1))));
    return GoldenFrames.bytes(
        Header.unnumbered(FrameKind.WELCOME, 1, 0, 1), welcome::write, Metadata.EMPTY);
  }

  /** Returns what the client says to a server that says this. */
  private static List<String> answered(byte[]... said) throws Exception {
    try (ServerSocket listening = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual()
          .start(
              () -> {
                try (Socket client = listening.accept()) {
                  ByteArrayOutputStream all = new ByteArrayOutputStream();
                  for (byte[] one : said) {
                    all.write(one);
                  }
                  client.getOutputStream().write(all.toByteArray());
                  client.getInputStream().transferTo(new ByteArrayOutputStream());
                } catch (IOException e) {
                  // the client has ended
                }
              });
      return Python.lines("abilities.py", Integer.toString(listening.getLocalPort()), "calls");
    }
  }

  @Test
  @Tag("long")
  void believesNoLengthOfAFrame() throws Exception {
    assertThat(answered(new byte[] {0x7f, -1, -1, -1, 3, 2}))
        .containsExactly("[\"WireError\", \"a frame of 2147483647 bytes; 24 to 65536 are taken\"]");
  }

  @Test
  @Tag("long")
  void believesNoLengthInAGreeting() throws Exception {
    byte[] lying = welcome();
    lying[lying.length - 22] = 0x7f; // of the service's name
    assertThat(answered(frame(lying)))
        .singleElement()
        .asString()
        .contains("127 elements cannot be in");
  }

  @Test
  @Tag("long")
  void believesNoLengthOfAMessage() throws Exception {
    byte[] first =
        GoldenFrames.bytes(
            new Header(FrameKind.SCHEMA, FrameHeader.FLAG_FIRST_FRAGMENT, 1, 1, 0, -1, 0, 0),
            out -> {
              out.writeInt(Integer.MAX_VALUE);
              out.writeInt(1);
            },
            Metadata.EMPTY);
    assertThat(answered(frame(welcome()), frame(first)))
        .singleElement()
        .asString()
        .contains("bytes of a message of 2147483647");
  }

  @Test
  @Tag("long")
  void leavesAServerThatBreaksTheOrder() throws Exception {
    byte[] second =
        GoldenFrames.bytes(
            Header.of(FrameKind.DRAINING, 2, 0), out -> out.writeString(""), Metadata.EMPTY);
    assertThat(answered(frame(welcome()), frame(second)))
        .singleElement()
        .asString()
        .startsWith("[\"RpcError\"");
  }
}
