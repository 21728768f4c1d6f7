package io.verbena.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.SendResult;
import io.verbena.testkit.JavaProcess;
import io.verbena.testkit.LinkEnd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A peer in another process, which stands still, or dies. */
final class PeersDeathTest {
  @TempDir private Path base;

  @SuppressWarnings("NullAway.Init") // by JUnit
  PeersDeathTest() {}

  private static LinkEnd connect(TwoEnds ends, JavaProcess peer) throws IOException {
    return ends.connect(HexFormat.of().parseHex(peer.line())).end();
  }

  private List<Path> entries() throws IOException {
    try (Stream<Path> all = Files.walk(base)) {
      return all.filter(path -> !path.equals(base)).toList();
    }
  }

  @Test
  void endsTheLinkAndLeavesNoMemoryBehind() throws Exception {
    try (TwoEnds ends = new TwoEnds(base);
        JavaProcess peer = JavaProcess.start(EchoProcess.class, base.toString(), "wait")) {
      LinkEnd end = connect(ends, peer);
      end.sendNow(new byte[] {1});
      ends.stepUntil("the echo", () -> end.heard().frames().size() == 1);
      assertThat(entries()).as("files of memory").filteredOn(Files::isRegularFile).isEmpty();
      peer.kill();
      ends.stepUntil("the end", () -> end.heard().isClosed());
      assertThat(end.heard().closedReason()).contains("process has gone");
      assertThat(end.send(new byte[] {1})).isEqualTo(SendResult.CLOSED);
      ends.requireThatLinksWork();
    }
  }

  @Test
  void leavesADirectoryThatTheNextDriverRemoves() throws Exception {
    try (JavaProcess peer = JavaProcess.start(EchoProcess.class, base.toString(), "wait")) {
      assertThat(peer.line()).isNotEmpty();
      peer.kill();
    }
    Path left = entries().getFirst();
    assertThat(entries()).containsExactlyInAnyOrder(left, left.resolve(LinkFiles.BELL));
    FileTime then = Files.getLastModifiedTime(left);
    Path probe = Files.createFile(base.resolve("verbena-123.user"));
    Files.setLastModifiedTime(probe, FileTime.fromMillis(then.toMillis() - 60_000));
    Files.setLastModifiedTime(left, FileTime.fromMillis(then.toMillis() - 60_000));
    try (TwoEnds first = new TwoEnds(base)) {
      first.requireThatLinksWork();
      assertThat(entries()).hasSize(2).doesNotContain(left, probe);
      Path lives = entries().getFirst();
      Files.setLastModifiedTime(lives, FileTime.fromMillis(then.toMillis() - 60_000));
      try (TwoEnds second = new TwoEnds(base)) {
        second.requireThatLinksWork();
        assertThat(entries()).contains(lives);
      }
      first.requireThatLinksWork();
    }
    assertThat(entries()).isEmpty();
  }

  @Test
  void isNoneWhileItOnlyStandsStill() throws Exception {
    try (TwoEnds ends = new TwoEnds(base);
        JavaProcess peer = JavaProcess.start(EchoProcess.class, base.toString(), "wait")) {
      LinkEnd end = connect(ends, peer);
      end.sendNow(new byte[] {1});
      ends.stepUntil("the echo", () -> end.heard().frames().size() == 1);
      peer.freeze();
      int sent = 1;
      while (end.send(new byte[10_000]) == SendResult.SENT) {
        end.link().flush();
        ends.step();
        sent++;
      }
      assertThat(end.send(new byte[1])).isEqualTo(SendResult.BACK_PRESSURED);
      ends.pass(Duration.ofMinutes(1));
      for (int i = 0; i < 1000; i++) {
        ends.step();
      }
      assertThat(end.heard().isClosed()).isFalse();
      peer.thaw();
      int all = sent;
      ends.stepUntil("every echo", () -> end.heard().frames().size() == all);
      ends.stepUntil("room", () -> end.heard().writables() > 0);
    }
  }
}
