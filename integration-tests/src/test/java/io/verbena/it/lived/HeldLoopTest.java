package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.Session;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.it.JavaProcess;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A process ends when it is asked to, whatever holds the threads of its event loops. */
@Tag("long")
@Timeout(120)
class HeldLoopTest {
  private static final int END_WITHIN_SECONDS = 90;

  /** What is called, on the event loop. */
  @RpcService(name = "gate.v1")
  interface Gate {
    @RpcMethod(id = 1, nonBlocking = true)
    void exit();

    @RpcMethod(id = 2, nonBlocking = true)
    void hold();

    @RpcMethod(id = 3, nonBlocking = true)
    int pass(int number);
  }

  private static void ends(Process process) throws Exception {
    assertThat(process.waitFor(END_WITHIN_SECONDS, TimeUnit.SECONDS)).as("ended").isTrue();
  }

  private static VerbenaClient client() {
    SessionLimits limits = SessionLimits.DEFAULT.withResumeWindow(Duration.ofMillis(200));
    return VerbenaClient.builder().limits(limits).build();
  }

  @Test
  void aHandlerOnTheLoopMayEndTheProcess() throws Exception {
    try (JavaProcess server = JavaProcess.start(GateProcess.class);
        VerbenaClient client = client();
        Session session = client.connect(server.line())) {
      HeldLoopTest_GateRpc.async(session).exit();
      ends(server.process());
    }
  }

  @Test
  void aProcessEndsBySignalThoughAHandlerHoldsTheLoop() throws Exception {
    try (JavaProcess server = JavaProcess.start(GateProcess.class);
        VerbenaClient client = client();
        Session session = client.connect(server.line())) {
      HeldLoopTest_GateRpc.async(session).hold();
      assertThat(server.line()).isEqualTo("held");
      server.terminate();
      ends(server.process());
    }
  }

  @Test
  void aCallbackOnTheLoopMayEndTheProcess() throws Exception {
    try (JavaProcess program = JavaProcess.start(CallbackProcess.class)) {
      assertThat(program.line()).isEqualTo("calling");
      ends(program.process());
    }
  }

  /** The server. */
  static final class GateProcess {
    public static void main(String[] arguments) throws Exception {
      try (VerbenaServer server = server()) {
        System.out.println("127.0.0.1:" + server.address().getPort());
        JavaProcess.endWithParent();
      }
      Runtime.getRuntime().halt(0);
    }

    static VerbenaServer server() {
      return VerbenaServer.builder()
          .listen("127.0.0.1:0")
          .drainTime(Duration.ofSeconds(1))
          .closeOnShutdown()
          .serve(HeldLoopTest_GateRpc.bind(new Doors()))
          .start();
    }
  }

  /** A server and a client of its own, whose callback ends the process. */
  static final class CallbackProcess {
    public static void main(String[] arguments) throws Exception {
      VerbenaServer server = GateProcess.server();
      VerbenaClient client = client();
      Runtime.getRuntime().addShutdownHook(new Thread(client::close));
      Session session = client.connect("127.0.0.1:" + server.address().getPort());
      System.out.println("calling");
      HeldLoopTest_GateRpc.async(session).pass(1).thenAccept(passed -> System.exit(0));
      JavaProcess.endWithParent();
      Runtime.getRuntime().halt(1);
    }
  }

  private static final class Doors implements Gate {
    @Override
    public void exit() {
      System.exit(0);
    }

    @Override
    public void hold() {
      System.out.println("held");
      while (true) {
        Thread.onSpinWait(); // an interrupt says nothing to it
      }
    }

    @Override
    public int pass(int number) {
      return number;
    }
  }
}
