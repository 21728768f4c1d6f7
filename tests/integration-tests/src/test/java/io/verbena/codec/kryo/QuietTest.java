package io.verbena.codec.kryo;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testkit.JavaProcess;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A program that uses Kryo, started without any flag. */
class QuietTest {
  /** Sends a drawing to itself. */
  static final class Program {
    private Program() {}

    public static void main(String[] arguments) {
      ServiceTest.withGallery(
          "mem://quiet:0",
          (session, gallery) ->
              System.out.println("read " + gallery.hang(Drawing.sample()).shapes.size()));
      System.out.println("property " + System.getProperty("kryo.unsafe"));
    }
  }

  @Tag("long")
  @Test
  void makesTheJdkWarnOfNothingAndLeavesNoProperty() throws Exception {
    JavaProcess.Ended ended = run();
    assertThat(ended.errors()).isEmpty();
    assertThat(ended.out()).contains("read 2", "property null");
  }

  @Tag("long")
  @Test
  void refusesToReadWithUnsafe() throws Exception {
    assertThat(run("-Dkryo.unsafe=true").errors()).contains("Start Java with -Dkryo.unsafe=false");
  }

  private static JavaProcess.Ended run(String... options) throws IOException, InterruptedException {
    return JavaProcess.of(Program.class).options(options).keepsErrors().run(Duration.ofMinutes(1));
  }
}
