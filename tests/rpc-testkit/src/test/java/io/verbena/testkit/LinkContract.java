package io.verbena.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.SendResult;
import io.verbena.link.memory.SlotPool;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * The contract of every link. The test of a link extends it; one thread steps both ends, so that
 * nothing here depends on how threads are scheduled. {@link LinkThreadsContract} adds what needs
 * two.
 *
 * <p>It is long, since it is a list: each test stands by itself.
 */
public abstract class LinkContract {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** More than any link may hold on to while its reader does not read. */
  private static final long MOST_BYTES_UNDER_WAY = 64 << 20;

  private LinkHarness harness;
  private final List<SteppedLinks> started = new ArrayList<>();

  /** The harness is set before each test. */
  @SuppressWarnings("NullAway.Init") // by openHarness
  protected LinkContract() {}

  /** Returns a new harness; the suite closes it. */
  protected abstract LinkHarness newHarness();

  @BeforeEach
  void openHarness() {
    harness = newHarness();
  }

  @AfterEach
  void closeEverything() {
    try {
      started.forEach(SteppedLinks::close);
    } finally {
      harness.close();
    }
  }

  private LinkOptions clientOptions(int maxFrameBytes) {
    return LinkOptions.of(maxFrameBytes, PATIENCE, harness.clientTls());
  }

  private LinkOptions serverOptions(int maxFrameBytes) {
    return LinkOptions.of(maxFrameBytes, PATIENCE, harness.serverTls());
  }

  private SteppedLinks start() throws LinkException {
    return start(harness.maxFrameBytes(), harness.maxFrameBytes());
  }

  private SteppedLinks start(int clientMaxFrame, int serverMaxFrame) throws LinkException {
    SteppedLinks links =
        new SteppedLinks(harness, clientOptions(clientMaxFrame), serverOptions(serverMaxFrame));
    started.add(links);
    return links;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static List<String> texts(LinkEnd end) {
    return end.heard().frames().stream()
        .map(frame -> new String(frame, StandardCharsets.UTF_8))
        .toList();
  }

  private static void echo(LinkEnd end) {
    end.heard().onFrame(end::sendNow);
  }

  private static int fill(LinkEnd end, int frameBytes) {
    byte[] frame = new byte[frameBytes];
    for (int sent = 0; (long) sent * frameBytes < MOST_BYTES_UNDER_WAY; sent++) {
      if (end.send(frame) != SendResult.SENT) {
        return sent;
      }
    }
    throw new AssertionError("nothing pushed back, though nobody reads");
  }

  @Nested
  @DisplayName("carries frames")
  final class Carrying {
    @Test
    void wholeAndInOrderBothWaysAtOnce() throws LinkException {
      Random random = Seed.random("carries frames whole and in order");
      long there = random.nextLong();
      long back = random.nextLong();
      int total = 1000;
      SteppedLinks links = start();
      SteppedLinks.Pair pair = links.open();
      SlotPool pool = new SlotPool(harness.maxFrameBytes(), 4 << 20);
      var request = new FrameStream.Sender(pair.client(), stream(there), pool, total);
      var reply = new FrameStream.Sender(pair.server(), stream(back), pool, total);
      var requests = new FrameStream.Receiver(pair.server(), stream(there));
      var replies = new FrameStream.Receiver(pair.client(), stream(back));
      links.stepUntil(
          "every frame to arrive",
          () -> {
            request.send();
            reply.send();
            return requests.received() == total && replies.received() == total;
          });
      links.settle();
      assertThat(requests.received()).isEqualTo(total);
      assertThat(replies.received()).isEqualTo(total);
      assertThat(pool.inUse()).as("slots still held").isZero();
    }

    private FrameStream stream(long seed) {
      return new FrameStream(seed, harness.maxFrameBytes());
    }

    @Test
    void ofEveryLength() throws LinkException {
      int longest = 1500;
      int atOnce = 10;
      SteppedLinks links = start(longest, longest);
      SteppedLinks.Pair pair = links.open();
      echo(pair.server());
      List<byte[]> sent = new ArrayList<>();
      for (int length = 1; length <= longest; length++) {
        byte[] frame = new byte[length];
        frame[length - 1] = (byte) length;
        sent.add(frame);
        pair.client().sendNow(frame);
        if (length % atOnce == 0) {
          links.stepUntil("the echoes", () -> pair.client().heard().frames().size() == sent.size());
        }
      }
      assertThat(pair.client().heard().frames())
          .usingElementComparator(Arrays::compare)
          .containsExactlyElementsOf(sent);
    }

    @Test
    void aloneWhenFlushedAlone() throws LinkException {
      SteppedLinks links = start();
      SteppedLinks.Pair pair = links.open();
      pair.client().sendNow(bytes("alone"));
      links.stepUntil("the frame", () -> !pair.server().heard().frames().isEmpty());
      assertThat(texts(pair.server())).containsExactly("alone");
    }

    @Test
    void onManyLinksWithoutMixingThem() throws LinkException {
      SteppedLinks links = start();
      List<SteppedLinks.Pair> pairs = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        pairs.add(links.open());
        echo(pairs.get(i).server());
      }
      for (int i = 0; i < pairs.size(); i++) {
        pairs.get(i).client().sendNow(bytes("link " + i));
      }
      links.stepUntil(
          "every echo",
          () -> pairs.stream().allMatch(pair -> pair.client().heard().frames().size() == 1));
      for (int i = 0; i < pairs.size(); i++) {
        assertThat(texts(pairs.get(i).client())).containsExactly("link " + i);
      }
    }

    @Test
    void withoutAllocatingOnceWarm() throws LinkException {
      Assumptions.assumeTrue(harness.hasBothEndsHere(), "calling the other end allocates");
      AllocationProbe probe =
          new AllocationProbe(
              harness,
              clientOptions(harness.maxFrameBytes()),
              serverOptions(harness.maxFrameBytes()));
      // The thread's counter moves by what the probe and the JVM themselves do now and then.
      long most = 1000L * harness.allocatedBytesPerRoundTrip() + 2000;
      long bytes = probe.bytesPerThousandRoundTrips(2_000, most);
      assertThat(bytes).as("bytes allocated in 1000 round trips").isLessThanOrEqualTo(most);
    }
  }

  @Nested
  @DisplayName("pushes back")
  final class PushingBack {
    @Test
    void whenTheReaderIsSlowAndTellsOnceThereIsRoom() throws LinkException {
      SteppedLinks links = start();
      SteppedLinks.Pair pair = links.open();
      pair.server().link().setReceiving(false);
      int sent = 0;
      for (int round = 0; round < 50; round++) {
        sent += fill(pair.client(), 1000);
        links.settle();
      }
      int before = pair.client().heard().writables();
      assertThat(pair.client().send(bytes("too much"))).isEqualTo(SendResult.BACK_PRESSURED);
      assertThat((long) sent * 1000).isLessThan(MOST_BYTES_UNDER_WAY);
      pair.server().link().setReceiving(true);
      int expected = sent;
      links.stepUntil("all that was sent", () -> pair.server().heard().frames().size() == expected);
      links.stepUntil("room", () -> pair.client().heard().writables() > before);
      links.settle();
      assertThat(pair.server().heard().frames()).hasSize(sent);
      pair.client().sendNow(bytes("room again"));
      links.stepUntil("one more", () -> pair.server().heard().frames().size() == expected + 1);
    }

    @Test
    void onOneLinkWithoutHoldingUpAnother() throws LinkException {
      SteppedLinks links = start();
      SteppedLinks.Pair full = links.open();
      SteppedLinks.Pair other = links.open();
      full.server().link().setReceiving(false);
      fill(full.client(), 1000);
      other.client().sendNow(bytes("passes"));
      links.stepUntil("the other", () -> !other.server().heard().frames().isEmpty());
      assertThat(texts(other.server())).containsExactly("passes");
    }

    @Test
    void butTellsOfRoomOnlyWhenItPushedBack() throws LinkException {
      SteppedLinks links = start();
      SteppedLinks.Pair pair = links.open();
      pair.client().sendNow(bytes("plenty of room"));
      links.stepUntil("the frame", () -> !pair.server().heard().frames().isEmpty());
      links.settle();
      assertThat(pair.client().heard().writables()).isZero();
    }

    @Test
    void withoutBlockingWhenThePeerVanishes() throws LinkException {
      Assumptions.assumeTrue(harness.hasLoopForEachEnd(), "no end stands still alone");
      SteppedLinks links = start();
      SteppedLinks.Pair pair = links.open();
      // The server's loop stands still from here on, as that of a frozen host would.
      int idle = 0;
      while (idle++ < 200) {
        if (fill(pair.client(), harness.maxFrameBytes() / 4) > 0) {
          idle = 0;
        }
        links.client().poll();
      }
      assertThat(pair.client().send(bytes("x"))).isEqualTo(SendResult.BACK_PRESSURED);
      pair.client().link().close();
      links.stepClientUntil("the end", () -> pair.client().heard().isClosed());
      assertThat(pair.client().send(bytes("x"))).isEqualTo(SendResult.CLOSED);
    }
  }

  @Nested
  @DisplayName("closes")
  final class Closing {
    @Test
    void afterDeliveringWhatWasSent() throws LinkException {
      SteppedLinks links = start();
      SteppedLinks.Pair pair = links.open();
      for (int i = 0; i < 100; i++) {
        assertThat(pair.client().send(bytes("frame " + i))).isEqualTo(SendResult.SENT);
      }
      pair.client().link().close();
      links.stepUntil(
          "both ends to close",
          () -> pair.client().heard().isClosed() && pair.server().heard().isClosed());
      assertThat(texts(pair.server())).hasSize(100).endsWith("frame 99");
      assertThat(pair.server().heard().closedReason()).contains("peer closed");
    }

    @Test
    void whenTheOtherEndHasFramesUnderWayToIt() throws LinkException {
      SteppedLinks links = start();
      SteppedLinks.Pair pair = links.open();
      for (int i = 0; i < 100; i++) {
        pair.server().sendNow(new byte[1000]);
        assertThat(pair.client().send(bytes("frame " + i))).isEqualTo(SendResult.SENT);
      }
      pair.client().link().close();
      links.stepUntil("the server to hear", () -> pair.server().heard().isClosed());
      assertThat(texts(pair.server())).hasSize(100);
    }

    /** Sending may fail before the end has read what arrived before, such as a farewell. */
    @Test
    void afterDeliveringWhatHadArrivedWhenTheOtherEndCouldNotSend() throws LinkException {
      SteppedLinks links = start();
      SteppedLinks.Pair pair = links.open();
      pair.client().sendNow(bytes("unread"));
      pair.server().sendNow(bytes("last words"));
      links.server().close(); // the client does not look meanwhile
      for (int i = 0; i < 3; i++) {
        SendResult _ = pair.client().send(bytes("late"));
        pair.client().link().flush();
      }
      links.stepUntil("the client to hear", () -> pair.client().heard().isClosed());
      assertThat(texts(pair.client())).containsExactly("last words");
    }

    @Test
    void onceHoweverOftenItIsClosed() throws LinkException {
      SteppedLinks links = start();
      SteppedLinks.Pair pair = links.open();
      pair.client().link().close();
      pair.client().link().close();
      pair.client().link().abort("too late to matter");
      links.stepUntil("the client to hear", () -> pair.client().heard().isClosed());
      links.stepUntil("the server to hear", () -> pair.server().heard().isClosed());
      assertThat(pair.client().send(bytes("late"))).isEqualTo(SendResult.CLOSED);
      pair.client().link().flush();
      pair.client().link().setReceiving(true);
      links.settle();
      assertThat(pair.client().heard().closedReason()).doesNotContain("too late");
    }

    @Test
    void fromWithinAFrameAndHandsOverNoMore() throws LinkException {
      SteppedLinks links = start();
      SteppedLinks.Pair pair = links.open();
      List<byte[]> heard = new ArrayList<>();
      pair.server()
          .heard()
          .onFrame(
              frame -> {
                heard.add(frame);
                pair.server().link().close();
              });
      for (int i = 0; i < 10; i++) {
        assertThat(pair.client().send(bytes("frame " + i))).isEqualTo(SendResult.SENT);
      }
      pair.client().link().flush();
      links.stepUntil("the client to hear", () -> pair.client().heard().isClosed());
      assertThat(heard).hasSize(1);
    }

    @Test
    void atOnceWhenAborted() throws LinkException {
      SteppedLinks links = start();
      SteppedLinks.Pair pair = links.open();
      pair.client().link().abort("it broke the rules");
      links.stepUntil("the client to hear", () -> pair.client().heard().isClosed());
      links.stepUntil("the server to hear", () -> pair.server().heard().isClosed());
      assertThat(pair.client().heard().closedReason()).isEqualTo("it broke the rules");
    }

    @Test
    void aloneWhenItsListenerFails() throws LinkException {
      SteppedLinks links = start();
      SteppedLinks.Pair broken = links.open();
      SteppedLinks.Pair sound = links.open();
      echo(sound.server());
      broken
          .server()
          .heard()
          .onFrame(
              frame -> {
                throw new IllegalStateException("a listener's mistake, on purpose");
              });
      broken.client().sendNow(bytes("x"));
      sound.client().sendNow(bytes("y"));
      links.stepUntil("the broken link to end", () -> broken.client().heard().isClosed());
      links.stepUntil("the echo", () -> !sound.client().heard().frames().isEmpty());
      assertThat(broken.server().heard().closedReason()).contains("on purpose");
    }

    @Test
    void togetherWithItsDriver() throws LinkException {
      SteppedLinks links = start();
      SteppedLinks.Pair one = links.open();
      SteppedLinks.Pair two = links.open();
      one.server().sendNow(bytes("last words"));
      links.server().close();
      assertThat(one.server().heard().isClosed()).isTrue();
      assertThat(two.server().heard().isClosed()).isTrue();
      links.stepClientUntil(
          "the clients to hear",
          () -> one.client().heard().isClosed() && two.client().heard().isClosed());
      assertThat(texts(one.client())).containsExactly("last words");
    }
  }

  @Nested
  @DisplayName("moves to another loop")
  final class Moving {
    private SteppedLinks links;
    private SteppedLinks.Pair pair;
    private final List<String> heardBefore = new ArrayList<>();
    private final List<String> heardThere = new ArrayList<>();
    private boolean there;

    /** The links are opened before each test. */
    @SuppressWarnings("NullAway.Init") // by open
    Moving() {}

    @BeforeEach
    void open() throws LinkException {
      Assumptions.assumeTrue(harness.provider().linksMove(), "these links stay where they are");
      links = start();
      pair = links.open();
    }

    /** Moves the server's end when it hears "go". */
    private void moveWhenTold() {
      LinkEnd end = pair.server();
      end.heard()
          .onFrame(
              frame -> {
                String text = new String(frame, StandardCharsets.UTF_8);
                heardBefore.add(text);
                if (text.equals("go")) {
                  end.link().moveTo(links.elsewhere(), this::arrived);
                }
              });
    }

    private void arrived() {
      there = true;
      LinkEnd end = pair.server();
      end.heard()
          .onFrame(
              frame -> {
                heardThere.add(new String(frame, StandardCharsets.UTF_8));
                end.send(frame);
                end.link().flush();
              });
    }

    @Test
    void withWhatHasNotBeenHandedOver() {
      moveWhenTold();
      List<String> words = List.of("hello", "go", "one", "two", "three");
      words.forEach(word -> pair.client().send(bytes(word)));
      pair.client().link().flush();
      links.stepUntil("the echoes", () -> pair.client().heard().frames().size() == 3);
      assertThat(heardBefore).containsExactly("hello", "go");
      assertThat(texts(pair.client())).containsExactly("one", "two", "three");
    }

    @Test
    void whereItIsPolledByThatLoopAlone() {
      moveWhenTold();
      pair.client().sendNow(bytes("go"));
      links.stepUntil("the move", () -> there);
      pair.client().sendNow(bytes("x"));
      for (int i = 0; i < 100; i++) {
        links.client().poll();
        links.server().poll();
      }
      assertThat(pair.client().heard().frames()).isEmpty();
      links.stepUntil("the echo", () -> !pair.client().heard().frames().isEmpty());
    }

    @Test
    void manyFramesAndMoreThanOneOfThem() throws LinkException {
      SteppedLinks.Pair stays = links.open();
      echo(stays.server());
      moveWhenTold();
      pair.client().sendNow(bytes("go"));
      byte[] longest = new byte[harness.maxFrameBytes()];
      for (int i = 1; i <= 50; i++) {
        pair.client().sendNow(longest);
        stays.client().sendNow(longest);
        int count = i;
        links.stepUntil(
            "both echoes",
            () ->
                pair.client().heard().frames().size() == count
                    && stays.client().heard().frames().size() == count);
      }
    }

    @Test
    void andEndsThereWhenThePeerCloses() {
      moveWhenTold();
      pair.client().sendNow(bytes("go"));
      pair.client().sendNow(bytes("bye"));
      pair.client().link().close();
      links.stepUntil("the end", () -> pair.server().heard().isClosed());
      assertThat(heardThere).containsExactly("bye");
    }

    @Test
    void orEndsWhereThatLoopIsClosed() {
      moveWhenTold();
      links.elsewhere().close();
      pair.client().sendNow(bytes("go"));
      links.stepUntil("the client to hear", () -> pair.client().heard().isClosed());
      assertThat(there).isFalse();
      assertThat(pair.server().heard().closedReason()).contains("loop", "closed");
    }
  }

  @Nested
  @DisplayName("keeps its limits")
  final class Limits {
    @Test
    void refusingToSendALongerFrameOrNone() throws LinkException {
      SteppedLinks links = start(1000, 1000);
      SteppedLinks.Pair pair = links.open();
      assertThat(pair.client().link().capabilities().maxFrameBytes()).isEqualTo(1000);
      assertThatThrownBy(() -> pair.client().send(new byte[1001]))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("1000")
          .hasMessageContaining("1001");
      assertThatThrownBy(() -> pair.client().send(new byte[0]))
          .isInstanceOf(IllegalArgumentException.class);
      pair.client().sendNow(new byte[1000]);
      links.stepUntil("the frame", () -> pair.server().heard().frames().size() == 1);
    }

    @Test
    void closingALinkWhosePeerSendsALongerFrame() throws LinkException {
      Assumptions.assumeTrue(harness.hasLoopForEachEnd(), "both ends have the limits of one loop");
      SteppedLinks links = start(4000, 1000);
      SteppedLinks.Pair greedy = links.open();
      SteppedLinks.Pair modest = links.open();
      greedy.client().sendNow(new byte[1000]);
      greedy.client().sendNow(new byte[1001]);
      modest.client().sendNow(new byte[1000]);
      links.stepUntil(
          "both ends to close",
          () -> greedy.client().heard().isClosed() && greedy.server().heard().isClosed());
      links.stepUntil("the frame", () -> modest.server().heard().frames().size() == 1);
      assertThat(greedy.server().heard().frames()).hasSize(1);
      assertThat(greedy.server().heard().closedReason()).contains("1000").contains("1001");
      assertThat(modest.server().heard().isClosed()).isFalse();
    }
  }

  @Nested
  @DisplayName("opens")
  final class Opening {
    @BeforeEach
    void assumeItIsDriven() {
      Assumptions.assumeTrue(harness.hasLoopForEachEnd(), "these links are opened within a loop");
    }

    @Test
    void toAPeerThatItNames() throws LinkException {
      SteppedLinks links = start();
      SteppedLinks.Pair pair = links.open();
      String scheme = harness.provider().scheme() + "://";
      assertThat(links.listening().address().toString()).startsWith(scheme).doesNotEndWith(":0");
      assertThat(pair.client().link().peerAddress())
          .isEqualTo(links.listening().address().toString());
      assertThat(pair.server().link().peerAddress()).startsWith(scheme);
      assertThat(pair.client().link().capabilities().kind()).isEqualTo(harness.provider().scheme());
    }

    @Test
    void notWhereNobodyListens() throws LinkException {
      URI address = harness.nobodyListens();
      assertThat(start().connect(address).failure()).hasMessageContaining(address.toString());
    }

    @Test
    void notWhereNobodyAnswersInTime() throws LinkException {
      SteppedLinks links = start();
      URI address = harness.nobodyAnswers();
      var options =
          LinkOptions.of(harness.maxFrameBytes(), Duration.ofMillis(200), harness.clientTls());
      var outcome = links.startConnecting(address, options);
      links.stepUntil("the time to pass", outcome::isKnown);
      assertThat(outcome.failure()).hasMessageContaining(address.toString());
      assertThat(outcome.failure()).hasMessageContaining("200 ms");
    }

    @Test
    void notAtAnAddressOfAnotherKind() throws LinkException {
      SteppedLinks links = start();
      URI address = URI.create("carrier-pigeon://roof");
      assertThat(links.connect(address).failure()).hasMessageContaining("carrier-pigeon://roof");
      LinkDriver server = links.server();
      assertThatThrownBy(
              () ->
                  server.listen(
                      address,
                      serverOptions(harness.maxFrameBytes()),
                      _ -> new RecordingListener()))
          .isInstanceOf(LinkException.class)
          .hasMessageContaining("carrier-pigeon://roof");
    }

    @Test
    void onlyOneListenerPerAddress() throws LinkException {
      SteppedLinks links = start();
      URI taken = links.listening().address();
      LinkDriver server = links.server();
      assertThatThrownBy(
              () ->
                  server.listen(
                      taken, serverOptions(harness.maxFrameBytes()), _ -> new RecordingListener()))
          .isInstanceOf(LinkException.class)
          .hasMessageContaining(taken.getAuthority())
          .hasMessageContaining("choose another");
    }

    @Test
    void noMoreOnceTheListenerIsClosedAndLeavesOpenLinksAlone() throws LinkException {
      SteppedLinks links = start();
      SteppedLinks.Pair pair = links.open();
      echo(pair.server());
      links.listening().close();
      links.connect(links.listening().address()).failure();
      pair.client().sendNow(bytes("still here"));
      links.stepUntil("the echo", () -> !pair.client().heard().frames().isEmpty());
      links
          .server()
          .listen(
              links.listening().address(),
              serverOptions(harness.maxFrameBytes()),
              _ -> new RecordingListener());
    }

    @Test
    void notWhenItsDriverIsClosedMeanwhile() throws LinkException {
      SteppedLinks links = start();
      var outcome =
          links.startConnecting(harness.nobodyAnswers(), clientOptions(harness.maxFrameBytes()));
      links.client().poll();
      links.client().close();
      assertThat(outcome.failure()).hasMessageContaining("closed");
    }

    @Test
    void againAfterAClose() throws LinkException {
      SteppedLinks links = start();
      for (int i = 0; i < 20; i++) {
        SteppedLinks.Pair pair = links.open();
        echo(pair.server());
        pair.client().sendNow(bytes("again"));
        links.stepUntil("the echo", () -> !pair.client().heard().frames().isEmpty());
        pair.client().link().close();
        links.stepUntil("the end", () -> pair.server().heard().isClosed());
      }
    }
  }
}
