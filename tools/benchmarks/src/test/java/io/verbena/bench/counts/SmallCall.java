package io.verbena.bench.counts;

import io.verbena.api.CallOptions;
import io.verbena.api.Session;
import io.verbena.api.Streams;
import io.verbena.api.stub.CallScope;
import io.verbena.bench.features.Bell;
import io.verbena.bench.features.BellRpc;
import io.verbena.bench.verbena.Route;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.tcp.TcpLinkProvider;
import io.verbena.testkit.SteppedWorld;
import io.verbena.verbs.fabric.Fabric;
import java.lang.StackWalker.StackFrame;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * A client that calls {@code long ring(long)}, and its server, whose handler is nonBlocking and
 * looks at its own stack. One thread steps both, and over RDMA their devices in memory.
 */
final class SmallCall implements AutoCloseable {
  private static final int WARMUP = 20;
  private static final int MOST_STEPS = 1_000_000;
  private static final Duration TICK = Duration.ofMillis(1);
  private static final CallOptions OPTIONS = CallOptions.timeout(Duration.ofMinutes(10));
  private static final StackWalker STACK =
      StackWalker.getInstance(StackWalker.Option.SHOW_HIDDEN_FRAMES);

  private final SteppedWorld world = new SteppedWorld(new TcpLinkProvider());
  private final Fabric fabric = Fabric.stepped(2, world.clock()::nanoTime);
  private final BellRpc.Async bell;
  private List<String> frames = List.of();

  /** Opens a session on a path, which is TCP or RDMA, and makes some calls. */
  SmallCall(Route route) {
    VerbenaServer server =
        world.server(
            there -> {
              there.listen("127.0.0.1:0").serve(BellRpc.bind(new Tower()));
              if (route == Route.RDMA) {
                there.upgrades(device("west", "10.9.0.2"));
              } else {
                there.path(PathPolicy.TCP_ONLY);
              }
            });
    VerbenaClient client =
        world.client(
            here -> {
              if (route == Route.RDMA) {
                here.upgrades(device("east", "10.9.0.1"));
              } else {
                here.path(PathPolicy.TCP_ONLY);
              }
            });
    Session session = client.session("127.0.0.1:" + server.address().getPort());
    bell = BellRpc.async(session, OPTIONS);
    call();
    runUntil(() -> route != Route.RDMA || session.path().link().equals("rdma"));
    for (int i = 0; i < WARMUP; i++) {
      call();
    }
  }

  private RdmaUpgradeProvider device(String name, String address) {
    return new RdmaUpgradeProvider(
        fabric.addHost(name, InetAddress.ofLiteral(address)), RdmaSettings.DEFAULT, world.clock());
  }

  private final class Tower implements Bell {
    @Override
    public long ring(long number) {
      frames = STACK.walk(SmallCall::fromTheLink);
      return number;
    }

    @Override
    public Flow.Publisher<Long> peal(int items) {
      return Streams.of(Stream.of());
    }
  }

  private static List<String> fromTheLink(Stream<StackFrame> stack) {
    List<String> frames = new ArrayList<>();
    for (StackFrame frame : (Iterable<StackFrame>) stack::iterator) {
      String type = frame.getClassName();
      frames.addFirst(type + "." + frame.getMethodName());
      if (type.startsWith("io.verbena.tcp.") || type.startsWith("io.verbena.rdma.")) {
        break;
      }
    }
    return frames;
  }

  /**
   * Makes one call; returns its frames from that in which the link gives the request to its
   * listener to the handler's method, both of these too, with those of lambdas.
   */
  List<String> call() {
    CompletableFuture<Long> answer = bell.ring(1).toCompletableFuture();
    runUntil(answer::isDone);
    answer.join();
    return frames;
  }

  /** Runs a duty cycle in the scope that a loop's own thread binds for its life. */
  private int stepServer() {
    return ScopedValue.where(CallScope.CURRENT, world.serverLoop().callScope())
        .call(world::stepServer);
  }

  private void runUntil(BooleanSupplier condition) {
    for (int i = 0; !condition.getAsBoolean(); i++) {
      if (i > MOST_STEPS) {
        throw new IllegalStateException("a call or an upgrade does not end");
      }
      int work = world.stepClient() + stepServer() + world.runHandlers();
      while (fabric.step()) {
        work++;
      }
      if (work == 0 && i % 1000 == 0) { // what a socket has may come a moment later
        world.clock().advance(TICK);
      }
    }
  }

  @Override
  public void close() {
    world.close();
  }
}
