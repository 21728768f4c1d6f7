package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.StreamIterator;
import io.verbena.api.Streams;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.verbs.fabric.Fabric;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Flow;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The events of JDK Flight Recorder for a client and a server, over RDMA. */
class FlightRecorderTest {
  @TempDir private Path directory;

  @Test
  void hasCallsAtBothEndsChangesOfPathAndRegistrations() throws Exception {
    List<RecordedEvent> events = recorded(Duration.ZERO);
    assertThat(of(events, "verbena.ClientCall"))
        .extracting(
            event -> event.getString("method"),
            event -> event.getString("status"),
            event -> event.getString("execution"),
            event -> event.getString("path"))
        .containsExactlyInAnyOrder(
            tuple("house.v1/add", "OK", "EXECUTED", "rdma"),
            tuple("house.v1/whoAmI", "PERMISSION_DENIED", "EXECUTED", "rdma"));
    assertThat(of(events, "verbena.ServerCall"))
        .extracting(event -> event.getString("method"), event -> event.getString("status"))
        .containsExactlyInAnyOrder(
            tuple("house.v1/add", "OK"), tuple("house.v1/whoAmI", "PERMISSION_DENIED"));
    assertThat(of(events, "verbena.PathChange"))
        .anySatisfy(
            event -> {
              assertThat(event.getString("from")).isEqualTo("tcp");
              assertThat(event.getString("to")).isEqualTo("rdma");
              assertThat(event.getString("peer")).startsWith("tcp://127.0.0.1:");
            });
    assertThat(of(events, "verbena.Registration"))
        .isNotEmpty()
        .allSatisfy(
            event -> {
              assertThat(event.getLong("bytes")).isPositive();
              assertThat(event.getBoolean("done")).isTrue();
            });
    assertThat(of(events, "verbena.Deregistration")).isNotEmpty();
  }

  @Test
  void leavesOutWhatWasQuick() throws Exception {
    List<RecordedEvent> events = recorded(Duration.ofMinutes(1));
    assertThat(of(events, "verbena.ClientCall")).isEmpty();
    assertThat(of(events, "verbena.ServerCall")).isEmpty();
    assertThat(of(events, "verbena.PathChange")).isNotEmpty();
  }

  /** Requests of its subscriber wait as long as there are no items. */
  @Test
  void hasTheCallOfAStreamAndNotWhatItsSubscriberAsks() throws Exception {
    Path file = directory.resolve("streams.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("verbena.ClientCall").withoutThreshold();
      recording.enable("verbena.ServerCall").withoutThreshold();
      recording.start();
      takeAStream();
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> events = RecordingFile.readAllEvents(file);
    for (String end : List.of("verbena.ClientCall", "verbena.ServerCall")) {
      assertThat(of(events, end))
          .extracting(event -> event.getString("method"))
          .containsExactly("quotes.v1/doubled");
    }
  }

  private static void takeAStream() {
    try (VerbenaServer server =
            VerbenaServer.builder()
                .listen("127.0.0.1:0")
                .serve(QuotesRpc.bind(new Echoing()))
                .path(PathPolicy.TCP_ONLY)
                .start();
        VerbenaClient client = VerbenaClient.builder().path(PathPolicy.TCP_ONLY).build();
        Session session = client.connect(server.address().toString());
        StreamIterator<Long> each =
            Streams.iterate(QuotesRpc.client(session).doubled(Streams.of(List.of(1L, 2L))))) {
      assertThat(each.next()).isEqualTo(1);
      assertThat(each.next()).isEqualTo(2);
      assertThat(each.hasNext()).isFalse();
    }
  }

  /** Gives its argument back. */
  private static final class Echoing implements Quotes {
    @Override
    public Flow.Publisher<Quote> watch(String symbol, int chartBytes) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Flow.Publisher<Quote> watchBriefly(String symbol) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long total(Flow.Publisher<Long> amounts) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Flow.Publisher<Long> doubled(Flow.Publisher<Long> amounts) {
      return amounts;
    }
  }

  private static List<RecordedEvent> of(List<RecordedEvent> all, String name) {
    return all.stream().filter(event -> event.getEventType().getName().equals(name)).toList();
  }

  /** Returns the events of two calls, one of which fails. */
  private List<RecordedEvent> recorded(Duration threshold) throws Exception {
    Path file = directory.resolve("calls.jfr");
    try (Recording recording = new Recording()) {
      recording.enable("verbena.ClientCall").withThreshold(threshold);
      recording.enable("verbena.ServerCall").withThreshold(threshold);
      recording.start();
      makeCalls();
      recording.stop();
      recording.dump(file);
    }
    return RecordingFile.readAllEvents(file);
  }

  private static void makeCalls() throws Exception {
    Fabric fabric = Fabric.threaded(7);
    PlainHouse house =
        new PlainHouse() {
          @Override
          public String whoAmI() {
            throw new RpcException(RpcStatus.PERMISSION_DENIED, "not for you");
          }
        };
    try (VerbenaServer server =
            VerbenaServer.builder()
                .listen("127.0.0.1:0")
                .serve(HouseRpc.bind(house))
                .path(PathPolicy.REQUIRE_RDMA)
                .upgrades(provider(fabric, "west", "10.9.0.2"))
                .start();
        VerbenaClient client =
            VerbenaClient.builder()
                .path(PathPolicy.REQUIRE_RDMA)
                .upgrades(provider(fabric, "east", "10.9.0.1"))
                .build();
        Session session = client.connect(server.address().toString())) {
      House there = HouseRpc.client(session);
      assertThat(there.add(41)).isEqualTo(42);
      assertThatThrownBy(there::whoAmI).isInstanceOf(RpcException.class);
    } finally {
      fabric.close();
    }
  }

  private static RdmaUpgradeProvider provider(Fabric fabric, String name, String address)
      throws Exception {
    return new RdmaUpgradeProvider(
        fabric.addHost(name, InetAddress.getByName(address)),
        RdmaSettings.DEFAULT,
        NanoClock.SYSTEM);
  }
}
