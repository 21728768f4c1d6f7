package io.verbena.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.verbena.api.CallOptions;
import io.verbena.api.Metadata;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.Root;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The log lines of calls. */
class AccessLogTest {
  private static final Metadata.Key<String> TRACEPARENT = Metadata.Key.text("traceparent");
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";

  private final Logger logger = (Logger) LoggerFactory.getLogger(AccessLog.LOGGER);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final AtomicLong nanos = new AtomicLong();

  private final VerbenaServer server =
      VerbenaServer.builder()
          .listen("mem://library")
          .serve(LibraryRpc.bind(this::lend))
          .serverInterceptor(new AccessLog(nanos::get))
          .start();
  private final VerbenaClient client = VerbenaClient.builder().build();
  private final Session session = client.connect("mem://library");

  private String lend(String title) throws Library.Lent {
    nanos.addAndGet(1_500_000);
    return switch (title) {
      case "Momo" -> "take care";
      case "Emil" -> throw new Library.Lent();
      case "Secrets" -> throw new RpcException(RpcStatus.PERMISSION_DENIED, "not for you");
      case "Necronomicon" -> throw new Unspeakable();
      default -> throw new IllegalStateException("lost");
    };
  }

  /** Has no words. */
  private static final class Unspeakable extends RuntimeException {
    @Override
    public String getMessage() {
      throw new UnsupportedOperationException();
    }
  }

  @BeforeEach
  void listen() {
    lines.start();
    logger.setLevel(Level.INFO);
    logger.setAdditive(false);
    logger.addAppender(lines);
  }

  @AfterEach
  void close() {
    logger.detachAppender(lines);
    client.close();
    server.close();
  }

  private static Map<String, Object> pairs(ILoggingEvent line) {
    Map<String, Object> all = new TreeMap<>();
    line.getKeyValuePairs().forEach(pair -> all.put(pair.key, pair.value));
    return all;
  }

  @Test
  void aLineTellsHowACallEndedForWhomAndWhen() throws Exception {
    String parent = "00-" + TRACE + "-b7ad6b7169203331-01";
    CallOptions traced = CallOptions.DEFAULT.withMetadata(Metadata.EMPTY.with(TRACEPARENT, parent));
    LibraryRpc.client(session, traced).lend("Momo");
    assertThat(lines.list).hasSize(1);
    ILoggingEvent line = lines.list.getFirst();
    assertThat(line.getFormattedMessage())
        .matches(
            "library\\.v1/lend OK in 1500 us, by anonymous at mem://library#\\d+ over mem, trace "
                + TRACE);
    assertThat(pairs(line))
        .containsEntry("rpc.method", "library.v1/lend")
        .containsEntry("rpc.status_code", "OK")
        .containsEntry("identity", "anonymous")
        .containsEntry("path", "mem")
        .containsEntry("duration_us", 1_500L)
        .containsEntry("trace_id", TRACE)
        .hasEntrySatisfying(
            "peer", peer -> assertThat(peer.toString()).startsWith("mem://library#"));
  }

  @Test
  void whatFailsIsToldByTheStatusThatItsCallerIsTold() {
    Library library = LibraryRpc.client(session);
    assertThatThrownBy(() -> library.lend("Emil")).isInstanceOf(Library.Lent.class);
    assertThatThrownBy(() -> library.lend("Secrets")).isInstanceOf(RpcException.class);
    assertThatThrownBy(() -> library.lend("Krabat")).isInstanceOf(RpcException.class);
    assertThatThrownBy(() -> library.lend("Necronomicon"))
        .isInstanceOfSatisfying(
            RpcException.class, e -> assertThat(e.status()).isEqualTo(RpcStatus.INTERNAL));
    assertThat(lines.list)
        .extracting(line -> pairs(line).get("rpc.status_code"))
        .containsExactly("DECLARED", "PERMISSION_DENIED", "INTERNAL", "INTERNAL");
  }

  @Test
  void aTraceThatIsNoneIsLeftOut() throws Exception {
    CallOptions odd = CallOptions.DEFAULT.withMetadata(Metadata.EMPTY.with(TRACEPARENT, "\n{}"));
    LibraryRpc.client(session, odd).lend("Momo");
    assertThat(pairs(lines.list.getFirst())).doesNotContainKey("trace_id");
  }

  @Test
  void aPeersNameMakesNoLineOfItsOwn() throws Exception {
    try (VerbenaServer named =
            VerbenaServer.builder()
                .listen("mem://named")
                .authenticator(shown -> "ann\n\u202eOK")
                .serve(LibraryRpc.bind(this::lend))
                .serverInterceptor(new AccessLog(nanos::get))
                .start();
        Session session = client.connect("mem://named")) {
      assertThat(named.address()).hasScheme("mem");
      LibraryRpc.client(session).lend("Momo");
    }
    assertThat(lines.list.getFirst().getFormattedMessage()).contains("by ann\\u000a\\u202eOK at");
    assertThat(pairs(lines.list.getFirst())).containsEntry("identity", "ann\n\u202eOK");
  }

  @Test
  void nothingIsToldWhereNobodyListens() throws Exception {
    logger.setLevel(Level.WARN);
    LibraryRpc.client(session).lend("Momo");
    assertThat(lines.list).isEmpty();
  }

  @Test
  void theConfigurationOfThePageWritesJson(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("access.json");
    LoggerContext context = new LoggerContext();
    context.putProperty("verbena.access.file", file.toString());
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(Root.resolve("docs/operations/logback-access.xml").toFile());
    LibraryRpc.client(session).lend("Momo");
    context.getLogger(AccessLog.LOGGER).callAppenders(lines.list.getFirst());
    context.stop(); // has what is queued written
    List<String> written = Files.readAllLines(file);
    assertThat(written).hasSize(1);
    JsonObject line = JsonParser.parseString(written.getFirst()).getAsJsonObject();
    assertThat(line.get("formattedMessage").getAsString()).startsWith("library.v1/lend OK in ");
    JsonArray pairs = line.getAsJsonArray("kvpList");
    assertThat(pairs)
        .extracting(JsonElement::toString)
        .contains("{\"rpc.method\":\"library.v1/lend\"}", "{\"rpc.status_code\":\"OK\"}");
  }
}
