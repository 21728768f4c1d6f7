package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.JavaProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A process whose other libraries have taken all direct memory: calls go on, from the heap. One
 * loop more is refused.
 */
@Tag("long")
@Timeout(180)
class FullDirectMemoryTest {
  private static final int CALLS = 500;
  private static final List<String> LITTLE =
      List.of("-XX:MaxDirectMemorySize=24m", "-Dverbena.upgrade=TCP_ONLY");

  /** When the memory is taken. */
  enum When {
    BEFORE_THE_SESSION,
    DURING_THE_SESSION
  }

  /** The contract. */
  @RpcService(name = "mirror.v1")
  interface Mirror {
    @RpcMethod(id = 1, timeout = "60s")
    byte[] show(byte[] face);
  }

  @ParameterizedTest
  @EnumSource
  void everyCallIsAnswered(When when) throws Exception {
    try (JavaProcess process = JavaProcess.start(LITTLE, MirrorProcess.class, when.name())) {
      assertThat(line(process, MirrorProcess.ANSWERS)).startsWith(CALLS + " ");
      assertThat(line(process, MirrorProcess.STARTED))
          .contains("IllegalStateException", "an event loop", "raise -XX:MaxDirectMemorySize");
    }
  }

  private static String line(JavaProcess process, String words) throws IOException {
    String line = process.line();
    while (!line.contains(words)) {
      line = process.line(); // of its log
    }
    return line;
  }

  /** Both ends. */
  static final class MirrorProcess {
    static final String ANSWERS = " calls were answered, and a long one";
    static final String STARTED = "one server more: ";

    private static final List<ByteBuffer> TAKEN = new ArrayList<>();

    public static void main(String[] arguments) throws Exception {
      VerbenaServer server =
          VerbenaServer.builder()
              .listen("127.0.0.1:0")
              .serve(FullDirectMemoryTest_MirrorRpc.bind(face -> face))
              .start();
      VerbenaClient client = Unhurried.client().loops(1).build(); // a loop takes some, too
      String address = server.address().toString();
      Session session = client.connect(address);
      takeAll();
      if (When.valueOf(arguments[0]) == When.BEFORE_THE_SESSION) {
        session = client.connect(address);
      }
      var mirror = FullDirectMemoryTest_MirrorRpc.async(session);
      List<CompletableFuture<byte[]>> calls =
          IntStream.range(0, CALLS)
              .mapToObj(i -> mirror.show(new byte[64]).toCompletableFuture())
              .toList();
      int answered = calls.stream().mapToInt(MirrorProcess::shown).sum();
      shown(mirror.show(new byte[3_000_000]).toCompletableFuture());
      System.out.println(answered + ANSWERS);
      System.out.println(STARTED + oneServerMore());
      JavaProcess.endWithParent();
      Runtime.getRuntime().halt(0);
    }

    private static String oneServerMore() {
      takeAll(); // what was let go of meanwhile
      try (VerbenaServer more = VerbenaServer.builder().listen("127.0.0.1:0").start()) {
        return "listens at " + more.address();
      } catch (IllegalStateException e) {
        return e.toString();
      }
    }

    private static int shown(CompletableFuture<byte[]> call) {
      try {
        byte[] _ = call.get(60, TimeUnit.SECONDS);
        return 1;
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }

    private static void takeAll() {
      for (int bytes = 1 << 20; bytes > 0; bytes /= 8) {
        try {
          while (true) {
            TAKEN.add(ByteBuffer.allocateDirect(bytes));
          }
        } catch (OutOfMemoryError e) {
          // No piece of this size is left.
        }
      }
    }
  }
}
