package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.Session;
import io.verbena.api.Streams;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.channel.BalancedChannel;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Flow;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A call that would wait on an event loop is refused there at once, and the loop continues. */
@Timeout(60)
class NoWaitOnLoopTest {
  /** The contract, which a handler on the event loop calls, too. */
  @RpcService(name = "waits.v1")
  interface Waits {
    @RpcMethod(id = 1, nonBlocking = true)
    String onLoop();

    @RpcMethod(id = 2, idempotent = true)
    String ordinary();

    @RpcMethod(id = 3)
    Flow.Publisher<Integer> items();

    @RpcMethod(id = 4)
    Received read(Landing into);
  }

  /** Each way to wait. */
  private enum Wait {
    CALL,
    LANDING_CALL,
    CHANNEL_CALL,
    HEDGED_CALL,
    CONNECT,
    ITEM,
    TRANSFER,
    END
  }

  /** Its handler on the loop does what the test says, and answers with what that threw. */
  private static final class Served implements Waits {
    volatile Callable<?> wait = () -> "nothing";

    @Override
    public String onLoop() {
      try {
        return "returned " + wait.call();
      } catch (Exception e) {
        return e.toString();
      }
    }

    @Override
    public String ordinary() {
      return "done";
    }

    @Override
    public Flow.Publisher<Integer> items() {
      return Streams.of(List.of(1, 2, 3));
    }

    @Override
    public Received read(Landing into) {
      return Received.from(Source.of(new byte[1]));
    }
  }

  @ParameterizedTest
  @EnumSource
  void isRefused(Wait wait) throws Exception {
    Served served = new Served();
    try (VerbenaServer server =
            VerbenaServer.builder()
                .listen("127.0.0.1:0")
                .serve(NoWaitOnLoopTest_WaitsRpc.bind(served))
                .start();
        VerbenaClient client = VerbenaClient.builder().build();
        Session session = client.connect(server.address().toString());
        BalancedChannel channel = channel(client, session, false);
        BalancedChannel hedged = channel(client, session, true);
        Published object = server.publish(Source.of(new byte[1]), Duration.ofMinutes(1))) {
      Waits waits = NoWaitOnLoopTest_WaitsRpc.client(session);
      Waits balanced = NoWaitOnLoopTest_WaitsRpc.client(channel);
      Waits mayHedge = NoWaitOnLoopTest_WaitsRpc.client(hedged);
      assertThat(balanced.ordinary()).isEqualTo("done");
      assertThat(mayHedge.ordinary()).isEqualTo("done");
      Flow.Publisher<Integer> items = waits.items();
      served.wait =
          switch (wait) {
            case CALL -> waits::ordinary;
            case LANDING_CALL -> () -> waits.read(Landing.pooled(1));
            case CHANNEL_CALL -> balanced::ordinary;
            case HEDGED_CALL -> mayHedge::ordinary;
            case CONNECT -> () -> client.connect(server.address().toString());
            case ITEM -> () -> Streams.iterate(items).next();
            case TRANSFER -> () -> session.objects().fetch(object.ref(), Landing.pooled(1)).get();
            case END ->
                () -> {
                  server.awaitClose();
                  return "closed";
                };
          };
      assertThat(waits.onLoop()).startsWith("java.lang.IllegalStateException").contains("loop");
      assertThat(waits.ordinary()).isEqualTo("done");
    }
  }

  private static BalancedChannel channel(VerbenaClient client, Session session, boolean hedged) {
    BalancedChannel.Builder builder =
        BalancedChannel.builder(client, "static:" + session.peer().address());
    return hedged ? builder.hedgeAfter(Duration.ofMinutes(1)).build() : builder.build();
  }
}
