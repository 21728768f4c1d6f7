package io.verbena.codec.kryo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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

  private record Ended(String output, String errors) {}

  @Tag("long")
  @Test
  void makesTheJdkWarnOfNothingAndLeavesNoProperty() throws Exception {
    Ended ended = run();
    assertThat(ended.errors()).isEmpty();
    assertThat(ended.output()).contains("read 2", "property null");
  }

  @Tag("long")
  @Test
  void refusesToReadWithUnsafe() throws Exception {
    assertThat(run("-Dkryo.unsafe=true").errors()).contains("Start Java with -Dkryo.unsafe=false");
  }

  private static Ended run(String... flags) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of(flags));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Program.class.getName()));
    Process process = new ProcessBuilder(command).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    String errors = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return new Ended(output, errors);
  }
}
