package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.JavaProcess;
import java.lang.foreign.MemorySegment;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A process that makes client after client and closes each, where little may be outside the heap
 * and the collector runs seldom: the next client finds the memory of the last one.
 */
@Tag("long")
@Timeout(300)
class ClosedClientsTest {
  private static final int CLIENTS_PER_LONG = 10;

  /** If each kept its memory, none would be left long before. */
  private static final int CLIENTS_PER_COLLECTION = 60;

  private static final int LONG_BYTES = 300_000;

  /** Beside busy processes. */
  private static final Duration PATIENCE = Duration.ofMinutes(4);

  /** The contract. */
  @RpcService(name = "closed.v1")
  interface Echo {
    @RpcMethod(id = 1)
    String say(String text);

    @RpcMethod(id = 2)
    MemorySegment same(MemorySegment value);
  }

  @ParameterizedTest
  @CsvSource({"none, 1500", "ALL-UNNAMED, 300"})
  void leaveTheirMemoryToTheNext(String nativeAccess, String clients) throws Exception {
    List<String> flags =
        new ArrayList<>(
            List.of("-Xms1g", "-Xmn900m", "-XX:MaxDirectMemorySize=40m", "-XX:+DisableExplicitGC"));
    if (!nativeAccess.equals("none")) {
      flags.add("--enable-native-access=" + nativeAccess);
    }
    try (JavaProcess process = JavaProcess.start(flags, Program.class, clients)) {
      assertThat(process.lineAfter(Program.TELLS, PATIENCE)).isEqualTo("all of " + clients);
    }
  }

  /** Both ends. */
  static final class Program {
    static final String TELLS = "=> ";

    private Program() {}

    public static void main(String[] args) throws Exception {
      try (VerbenaServer server =
          VerbenaServer.builder()
              .listen("127.0.0.1:0")
              .serve(ClosedClientsTest_EchoRpc.bind(new Same()))
              .start()) {
        System.out.println(TELLS + outcome(server.address().toString(), Integer.parseInt(args[0])));
      }
      System.exit(0);
    }

    private static String outcome(String address, int clients) {
      for (int i = 1; i <= clients; i++) {
        try (VerbenaClient client = Unhurried.client().build();
            Session session = client.connect(address)) {
          Echo echo = ClosedClientsTest_EchoRpc.client(session);
          echo.say("small");
          if (i % CLIENTS_PER_LONG == 0) {
            echo.say("x".repeat(LONG_BYTES));
            echo.same(MemorySegment.ofArray(new byte[LONG_BYTES]));
          }
        } catch (Exception | OutOfMemoryError e) {
          return "client " + i + " of " + clients + ": " + e;
        }
      }
      long collections =
          ManagementFactory.getGarbageCollectorMXBeans().stream()
              .mapToLong(GarbageCollectorMXBean::getCollectionCount)
              .sum();
      return collections * CLIENTS_PER_COLLECTION > clients
          ? "the collector ran too often for a test: " + collections
          : "all of " + clients;
    }

    private static final class Same implements Echo {
      @Override
      public String say(String text) {
        return text;
      }

      @Override
      public MemorySegment same(MemorySegment value) {
        return value;
      }
    }
  }
}
