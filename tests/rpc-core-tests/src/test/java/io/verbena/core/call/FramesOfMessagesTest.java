package io.verbena.core.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.core.Probe;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkOptions;
import io.verbena.testkit.RawPeer;
import io.verbena.testkit.SteppedWorld;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A message that fits a slot leaves as one frame, as it was encoded. */
class FramesOfMessagesTest {
  private final SteppedWorld world = new SteppedWorld();
  private final LinkDriver driver = world.network().newDriver(() -> {});

  @AfterEach
  void close() {
    driver.close();
    world.close();
  }

  private static final class Caller extends RawPeer {
    private boolean cut;
    private int results;

    @Override
    public void onFrame(ByteBuffer buffer, int from, int to) {
      super.onFrame(buffer, from, to);
      long first = FrameHeader.first(buffer, from);
      if (FrameKind.ofCode(FrameHeader.kindCode(first)) == FrameKind.RESULT) {
        results++;
        cut |= (FrameHeader.flags(first) & FrameHeader.FLAG_FIRST_FRAGMENT) != 0;
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"64, false", "4096, false", "8100, false", "8192, true", "100000, true"})
  void aResultIsCutOnlyWhereItIsLongerThanASlot(int length, boolean cut) {
    String text = "x".repeat(length);
    world.server(
        server ->
            server.serve(
                Probe.bind(
                    new Probe.Plain() {
                      @Override
                      public String echo(String asked) {
                        return text;
                      }
                    })));
    Caller caller = new Caller();
    driver.connect(
        URI.create(world.address()),
        LinkOptions.of(64 * 1024, Duration.ofSeconds(5), null),
        caller);
    settle();
    caller.sayHello();
    settle();
    caller.send(
        RawPeer.call(
            FrameKind.REQUEST,
            1,
            1,
            1_000_000,
            Probe.ECHO.id() - 1,
            out -> {
              out.writeString("");
            }));
    settle();
    assertThat(caller.results).isEqualTo(1);
    assertThat(caller.cut).isEqualTo(cut);
  }

  private void settle() {
    for (int i = 0; i < 4; i++) {
      driver.poll();
      world.settle();
    }
  }
}
