package io.verbena.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.verbena.api.CallOptions;
import io.verbena.api.Session;
import io.verbena.api.stub.ArgumentWriter;
import io.verbena.api.stub.Handler;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.Schema;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.testkit.SteppedWorld;
import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A call over RDMA allocates the future that its caller gets; link and session add nothing. */
final class SessionAllocationTest {
  /** Of a fabric that carries a request out while it is posted, as rdma_rxe does. */
  private static final long COMPLETES_AT_ONCE = 2;

  private static final int WARM_UP = 40_000;
  private static final int MEASURED = 2_000;

  /** On a busy machine the compiler comes late, and what it has not compiled yet allocates more. */
  private static final int ATTEMPTS = 200;

  private static final long FUTURE = 72;

  /** A thread that steps a loop by hand binds the handler's scope for each call. */
  private static final long BINDING = 56;

  /** Less than an object per call: what grows once, or comes by time, may fall among the calls. */
  private static final long MOST = FUTURE + BINDING + 15;

  private static final ArgumentWriter NO_ARGUMENTS = out -> {};
  private static final Handler HANDLER = reply -> reply.result().writeByte(1);

  private static final MethodDescriptor<Boolean> METHOD =
      new MethodDescriptor<>(
          "beat", 1, "beat", true, false, true, 0, in -> in.readByte() == 1, null);

  private static final ServiceDescriptor<SessionAllocationTest> SERVICE =
      new ServiceDescriptor<>(
          SessionAllocationTest.class,
          "beat",
          new Schema(
              "beat",
              List.of(new Schema.Method(1, "beat", false, List.of(), "boolean", List.of())),
              List.of()),
          List.of(METHOD),
          caller -> {
            throw new UnsupportedOperationException();
          });

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final SteppedWorld world = new SteppedWorld().withoutWaits();
  private final Fabric fabric = Fabric.stepped(COMPLETES_AT_ONCE, world.clock()::nanoTime);

  private RdmaUpgradeProvider host(String name, String address) {
    FabricHost host = fabric.addHost(name, FabricWorld.address(address));
    return new RdmaUpgradeProvider(host, RdmaSettings.DEFAULT, world.clock());
  }

  @Test
  void linkAndSessionAllocateNothingPerCall() {
    ServiceBinding service =
        new ServiceBinding(SERVICE, (method, in, call) -> call.handle(HANDLER));
    world.server(server -> server.serve(service).upgrades(host("west", "10.9.0.2")));
    Session session =
        world.client(client -> client.upgrades(host("east", "10.9.0.1"))).session(world.address());
    ServiceCaller caller = session.caller(SERVICE, CallOptions.DEFAULT);
    call(caller);
    while (!session.path().link().equals("rdma")) {
      step();
    }
    calls(caller, WARM_UP);
    // Compiling and profiling allocate as well, so the least of a few is what the calls take.
    long least = Long.MAX_VALUE;
    for (int i = 0; i < ATTEMPTS && least > MOST; i++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      calls(caller, MEASURED);
      least = Math.min(least, (threads.getCurrentThreadAllocatedBytes() - before) / MEASURED);
    }
    assertThat(least).as("bytes per call, both ends").isLessThanOrEqualTo(MOST);
    world.close();
  }

  private void calls(ServiceCaller caller, int count) {
    for (int i = 0; i < count; i++) {
      call(caller);
    }
  }

  private void call(ServiceCaller caller) {
    CompletableFuture<Boolean> call = caller.submit(METHOD, NO_ARGUMENTS).toCompletableFuture();
    while (!call.isDone()) {
      step();
    }
  }

  private void step() {
    if (world.step() == 0 && !fabric.step()) {
      world.clock().advance(Duration.ofMillis(1));
    }
  }
}
