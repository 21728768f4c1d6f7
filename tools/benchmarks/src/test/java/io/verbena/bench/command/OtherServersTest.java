package io.verbena.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.bulk.ObjectRef;
import io.verbena.bench.Main;
import io.verbena.bench.report.Json;
import io.verbena.bench.usage.HostInfo;
import io.verbena.bench.usage.Usage;
import io.verbena.bench.usage.UsageMeter;
import io.verbena.bench.usage.Versions;
import io.verbena.bench.verbena.BenchControl;
import io.verbena.bench.verbena.BenchControlRpc;
import io.verbena.bench.verbena.BenchTarget;
import io.verbena.bench.verbena.BenchTargetRpc;
import io.verbena.core.VerbenaServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The message of {@code bench client} about a server that it cannot measure. */
class OtherServersTest {
  private static BenchControl control(String version) {
    return new BenchControl() {
      @Override
      public Usage usage() {
        return UsageMeter.read();
      }

      @Override
      public HostInfo host() {
        return HostInfo.read();
      }

      @Override
      public ObjectRef object(int size, boolean fromFile) {
        throw new UnsupportedOperationException("not measured");
      }

      @Override
      public String version() {
        return version;
      }

      @Override
      public int rivalPort(String name) {
        throw new UnsupportedOperationException("not measured");
      }
    };
  }

  private final StringWriter err = new StringWriter();

  private int client(VerbenaServer.Builder builder, String... options) {
    try (VerbenaServer server = builder.listen("127.0.0.1:0").start()) {
      return Main.commandLine()
          .setOut(new PrintWriter(new StringWriter()))
          .setErr(new PrintWriter(err))
          .execute(
              Stream.concat(
                      Stream.of(
                          "client", "127.0.0.1:" + server.address().getPort(), "-ptcp", "-n9"),
                      Stream.of(options))
                  .toArray(String[]::new));
    }
  }

  @Test
  void areRefusedWhereTheyAreOfAnotherVersion() {
    assertThat(client(VerbenaServer.builder().serve(BenchControlRpc.bind(control("0.0.7")))))
        .isEqualTo(1);
    assertThat(err.toString())
        .contains("has version 0.0.7, but this client " + Versions.verbena())
        .contains("the same version on both hosts");
  }

  /** A server that takes no message of more than 256 bytes. */
  private static final BenchTarget NARROW =
      new BenchTarget() {
        @Override
        public byte[] echo(byte[] message) {
          if (message.length > 256) {
            throw new IllegalStateException("too long");
          }
          return message;
        }

        @Override
        public byte[] echoOnThread(byte[] message) {
          return echo(message);
        }

        @Override
        public long push(byte[] message) {
          throw new UnsupportedOperationException("not measured");
        }

        @Override
        public long pushOnThread(byte[] message) {
          return push(message);
        }

        @Override
        public byte[] pull(int size, long number) {
          throw new UnsupportedOperationException("not measured");
        }

        @Override
        public byte[] pullOnThread(int size, long number) {
          return pull(size, number);
        }

        @Override
        public void drop(byte[] message) {}

        @Override
        public long dropped() {
          return 0;
        }
      };

  @Test
  void failARunButNotWhatWasMeasuredBefore(@TempDir Path folder) throws IOException {
    Path json = folder.resolve("bench.json");
    Path html = folder.resolve("bench.html");
    String files = "--json " + json + " --html " + html;
    int exit =
        client(
            VerbenaServer.builder()
                .serve(BenchControlRpc.bind(control(Versions.verbena())))
                .serve(BenchTargetRpc.bind(NARROW)),
            ("--rounds 1 --warmup 0 --sweep size " + files).split(" "));
    assertThat(exit).isEqualTo(1);
    assertThat(err.toString()).contains("verbena tcp, call 1 KiB x1").contains("a call failed");
    assertThat(Json.read(json).results())
        .extracting(result -> result.load().size())
        .containsExactly(64, 256);
    assertThat(Json.read(json).failure()).contains("a call failed");
    assertThat(html).content().contains("The run failed before its end").contains("256 B x1");
  }

  @Test
  void areRefusedWhereTheyAreNoBenchServers() {
    assertThat(client(VerbenaServer.builder())).isEqualTo(1);
    assertThat(err.toString()).contains("is not a 'bench server' of version " + Versions.verbena());
  }
}
