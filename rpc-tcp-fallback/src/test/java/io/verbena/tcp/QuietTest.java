package io.verbena.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.LinkOptions;
import io.verbena.link.memory.Slot;
import io.verbena.testkit.JavaProcess;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A user who gives the JVM no flags sees nothing of what the link is made of. */
final class QuietTest {
  @Test
  void printsNoWarningWithoutFlags() throws Exception {
    JavaProcess.Ended run = run(Program.class);
    assertThat(run.errors()).isEmpty();
    assertThat(run.out()).isEqualTo("nio true\n");
    assertThat(run.status()).isZero();
  }

  @Tag("long")
  @Test
  void usesNativeEpollInSilenceWhereItIsAllowed() throws Exception {
    JavaProcess.Ended run = run(Program.class, "--enable-native-access=ALL-UNNAMED");
    assertThat(run.errors()).isEmpty();
    assertThat(run.out()).isEqualTo("epoll true\n");
    assertThat(run.status()).isZero();
  }

  /** Runs a program of the tests in a JVM of its own. */
  static JavaProcess.Ended run(Class<?> program, String... options)
      throws IOException, InterruptedException {
    return JavaProcess.of(program).options(options).keepsErrors().run(Duration.ofMinutes(1));
  }

  /** What a user's program does with the link: one frame there. */
  static final class Program {
    private static boolean arrived;

    private Program() {}

    public static void main(String[] args) throws LinkException {
      Transport transport = Transport.best();
      LinkOptions options = LinkOptions.of(1000, Duration.ofSeconds(10), null);
      try (LinkDriver driver = new TcpLinkProvider(transport).newDriver(() -> {})) {
        URI address =
            driver.listen(URI.create("tcp://127.0.0.1:0"), options, _ -> new Arrival()).address();
        driver.connect(address, options, new Sender());
        while (!arrived) {
          driver.await(1_000_000_000L);
        }
      }
      System.out.println(transport.name() + " " + arrived);
    }

    private static class Arrival implements LinkListener {
      @Override
      public void onFrame(ByteBuffer buffer, int from, int to) {
        arrived = true;
      }

      @Override
      public void onWritable() {}

      @Override
      public void onClosed(String reason) {}
    }

    private static final class Sender extends Arrival implements LinkDriver.ConnectHandler {
      @Override
      public LinkListener onConnected(Link link) {
        Slot slot = Slot.unpooled(10);
        slot.length(10);
        link.send(slot);
        link.flush();
        return this;
      }

      @Override
      public void onFailed(LinkException failure) {
        throw new IllegalStateException(failure);
      }
    }
  }
}
