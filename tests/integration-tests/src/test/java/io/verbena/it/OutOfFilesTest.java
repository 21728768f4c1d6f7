package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcException;
import io.verbena.api.Session;
import io.verbena.channel.BalancedChannel;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.testkit.JavaProcess;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process that has reached its limit of open files. */
@Tag("long")
class OutOfFilesTest {
  private static final int LIMIT = 160;

  @ParameterizedTest(name = "native access: {0}")
  @ValueSource(strings = {"epoll", "nio"})
  void whatFailsSaysSoAndAllGoesOnWithTheNextFile(String transport) throws Exception {
    List<String> flags =
        transport.equals("epoll") ? List.of("--enable-native-access=ALL-UNNAMED") : List.of();
    try (JavaProcess process =
        JavaProcess.of(Program.class).options(flags).after("ulimit -n " + LIMIT).start()) {
      assertThat(told(process))
          .contains("UNAVAILABLE", "limit of " + LIMIT + " open files", "ulimit -n", "LimitNOFILE")
          .doesNotContain("firewall");
      assertThat(told(process))
          .contains("UNAVAILABLE", "limit of " + LIMIT + " open files", "ulimit -n", "LimitNOFILE")
          .doesNotContain("/etc/hosts");
      assertThat(told(process)).as("a second session").contains("UNAVAILABLE", "ulimit -n");
      assertThat(told(process)).as("a client's first loop").contains("UNAVAILABLE", "ulimit -n");
      assertThat(told(process)).as("a channel's first loop").contains("UNAVAILABLE", "ulimit -n");
      assertThat(told(process)).isEqualTo("accepting has paused");
      assertThat(told(process)).isEqualTo("4");
      assertThat(told(process)).as("that channel, later").isEqualTo("5");
      assertThat(told(process)).as("pauses").matches("[1-9]|[1-9][0-9]");
    }
  }

  private static String told(JavaProcess process) throws IOException {
    return process.lineAfter(Program.TELLS);
  }

  /** Uses files up, and gives some back. */
  static final class Program {
    private static final Deque<InputStream> FILES = new ArrayDeque<>();
    private static final String TELLS = "=> ";
    private static final String PAUSES = "pauses in accepting TCP connections";

    private Program() {}

    private static void useUp() {
      while (true) {
        try {
          FILES.push(new FileInputStream("/dev/null"));
        } catch (IOException e) {
          return;
        }
      }
    }

    private static void tell(Object what) {
      System.out.println(TELLS + what);
    }

    private static String failure(VerbenaClient client, String address) {
      return failure(() -> client.connect(address).close());
    }

    private static String failure(Runnable attempt) {
      try {
        attempt.run();
        return "connected";
      } catch (RuntimeException e) {
        return e.toString();
      }
    }

    private static BalancedChannel channel(VerbenaClient client, int port) {
      return BalancedChannel.builder(client, "static:127.0.0.1:" + port).build();
    }

    /** A channel comes back to what it lacked by itself. */
    private static long addedOnceThereIsAServer(House house) throws InterruptedException {
      while (true) {
        try {
          return house.add(4);
        } catch (RpcException e) {
          Thread.sleep(10);
        }
      }
    }

    public static void main(String[] args) throws Exception {
      try (VerbenaServer server =
              VerbenaServer.builder()
                  .listen("127.0.0.1:0")
                  .loops(1)
                  .serve(HouseRpc.bind(new PlainHouse()))
                  .start();
          VerbenaClient client = VerbenaClient.builder().loops(1).build();
          VerbenaClient twoLoops = VerbenaClient.builder().loops(2).build();
          VerbenaClient late = VerbenaClient.builder().build();
          VerbenaClient ofChannel = VerbenaClient.builder().build()) {
        int port = server.address().getPort();
        // Once with files, so that no class is missing when there are none.
        failure(client, "127.0.0.1:" + port);
        failure(client, "127.0.0.1:1");
        failure(client, "nowhere.invalid:" + port);
        Session _ = twoLoops.session("127.0.0.1:" + port);
        try (VerbenaClient other = VerbenaClient.builder().build();
            BalancedChannel channel = channel(other, port)) {
          HouseRpc.client(channel).add(1);
        }
        useUp();
        FILES.pop().close();
        useUp();
        tell(failure(client, "127.0.0.1:" + port));
        tell(failure(client, "localhost:" + port));
        tell(failure(() -> HouseRpc.client(twoLoops.session("127.0.0.1:" + port)).add(1)));
        tell(failure(late, "127.0.0.1:" + port));
        BalancedChannel channel = channel(ofChannel, port);
        House balanced = HouseRpc.client(channel);
        tell(failure(() -> balanced.add(1)));
        FILES.pop().close(); // for the client's socket, and none for the server's
        House house = HouseRpc.client(client.session("127.0.0.1:" + port));
        Thread caller = Thread.ofPlatform().start(() -> tell(house.add(3)));
        while (!ThrottledLog.counts().containsKey(PAUSES)) {
          Thread.sleep(10);
        }
        tell("accepting has paused");
        while (!FILES.isEmpty()) {
          FILES.pop().close();
        }
        caller.join();
        tell(addedOnceThereIsAServer(balanced));
        channel.close();
        tell(ThrottledLog.counts().get(PAUSES));
      }
    }
  }
}
