package io.verbena.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallOptions;
import io.verbena.api.RpcException;
import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.JavaProcess;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Large results that nobody gives back, in a process whose collector does not run when it is asked
 * to, and where little may be outside the heap.
 */
class UnclosedResultsTest {
  private static final int CALLS = 60;
  private static final int BYTES = 16 << 20;

  private static String outcome(Where where) throws Exception {
    List<String> flags =
        List.of(
            "-Xmx256m",
            "-XX:MaxDirectMemorySize=96m",
            "-XX:+DisableExplicitGC",
            "--enable-native-access=ALL-UNNAMED");
    try (JavaProcess process = JavaProcess.start(flags, Program.class, where.name())) {
      return process.lineAfter(Program.TELLS);
    }
  }

  @Test
  @Tag("long")
  void onTheHeapAllArrive() throws Exception {
    assertThat(outcome(Where.HEAP)).isEqualTo("all");
  }

  /** Which the collector closes, whenever it runs. */
  @Test
  @Tag("long")
  void inArenasOfTheCollectorsTheyArriveOrTheFailureSaysWhatToDo() throws Exception {
    assertThat(outcome(Where.COLLECTED_ARENA))
        .containsPattern("^all$|RESOURCE_EXHAUSTED.*close the arenas of earlier results");
  }

  @Test
  @Tag("long")
  void inArenasThatStayOpenTheFailureSaysWhatToDo() throws Exception {
    assertThat(outcome(Where.OPEN_ARENA))
        .contains("RESOURCE_EXHAUSTED")
        .contains("close the arenas of earlier results, or raise bulkMemoryBytes");
  }

  enum Where {
    HEAP(() -> CallOptions.DEFAULT),
    COLLECTED_ARENA(() -> CallOptions.DEFAULT.withResultsIn(Arena.ofAuto())),
    OPEN_ARENA(() -> CallOptions.DEFAULT.withResultsIn(Arena.ofShared()));

    @SuppressWarnings("ImmutableEnumChecker") // a function without state
    private final Supplier<CallOptions> options;

    Where(Supplier<CallOptions> options) {
      this.options = options;
    }
  }

  /** Calls itself, and keeps no result. */
  static final class Program {
    private static final String TELLS = "=> ";

    private Program() {}

    public static void main(String[] args) throws Exception {
      Where where = Where.valueOf(args[0]);
      try (VerbenaServer server =
              VerbenaServer.builder()
                  .listen("127.0.0.1:0")
                  .bulkMemoryBytes(64 << 20)
                  .serve(HouseRpc.bind(new PlainHouse()))
                  .start();
          VerbenaClient client = VerbenaClient.builder().bulkMemoryBytes(64 << 20).build();
          Session session = client.connect("127.0.0.1:" + server.address().getPort())) {
        System.out.println(TELLS + outcome(where, session));
      }
    }

    private static String outcome(Where where, Session session) {
      byte[] sent = new byte[BYTES];
      for (int i = 0; i < CALLS; i++) {
        sent[BYTES - 1] = (byte) i;
        try {
          MemorySegment same =
              HouseRpc.client(session, where.options.get()).same(MemorySegment.ofArray(sent));
          if (same.get(ValueLayout.JAVA_BYTE, BYTES - 1L) != i) {
            return "call " + i + ": another result";
          }
        } catch (RpcException e) {
          return String.valueOf(e.getMessage());
        }
      }
      return "all";
    }
  }
}
