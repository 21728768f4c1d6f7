package io.verbena.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.bulk.ObjectRef;
import io.verbena.bench.Main;
import io.verbena.bench.usage.HostInfo;
import io.verbena.bench.usage.Usage;
import io.verbena.bench.usage.UsageMeter;
import io.verbena.bench.usage.Versions;
import io.verbena.bench.verbena.BenchControl;
import io.verbena.bench.verbena.BenchControlRpc;
import io.verbena.core.VerbenaServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** What {@code bench client} says of a server that it cannot measure. */
class OtherServersTest {
  /** A server of an earlier version, which has the rest alike. */
  private static final BenchControl EARLIER =
      new BenchControl() {
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
          return "0.0.7";
        }

        @Override
        public int rivalPort(String name) {
          throw new UnsupportedOperationException("not measured");
        }
      };

  private final StringWriter err = new StringWriter();

  private int client(VerbenaServer.Builder builder) {
    try (VerbenaServer server = builder.listen("127.0.0.1:0").start()) {
      return Main.commandLine()
          .setErr(new PrintWriter(err))
          .execute("client", "127.0.0.1:" + server.address().getPort(), "-p", "tcp", "-n", "9");
    }
  }

  @Test
  void areRefusedWhereTheyAreOfAnotherVersion() {
    assertThat(client(VerbenaServer.builder().serve(BenchControlRpc.bind(EARLIER)))).isEqualTo(1);
    assertThat(err.toString())
        .contains("is of version 0.0.7, and this is " + Versions.verbena())
        .contains("the same on both hosts");
  }

  @Test
  void areRefusedWhereTheyAreNoBenchServers() {
    assertThat(client(VerbenaServer.builder())).isEqualTo(1);
    assertThat(err.toString()).contains("is no 'bench server' of version " + Versions.verbena());
  }
}
