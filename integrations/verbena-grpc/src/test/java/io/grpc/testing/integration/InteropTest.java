package io.grpc.testing.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.ManagedChannelBuilder;
import io.grpc.ServerBuilder;
import io.verbena.core.PathPolicy;
import io.verbena.grpc.VerbenaChannelBuilder;
import io.verbena.grpc.VerbenaServerBuilder;
import io.verbena.link.UpgradeProvider;
import io.verbena.link.runtime.NanoClock;
import io.verbena.rdma.RdmaSettings;
import io.verbena.rdma.RdmaUpgradeProvider;
import io.verbena.shm.ShmUpgradeProvider;
import io.verbena.verbs.fabric.Fabric;
import io.verbena.verbs.fabric.FabricHost;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.runner.JUnitCore;
import org.junit.runner.Result;

/**
 * gRPC's own interoperability suite passes over each path, whole: no test fails, and none is
 * skipped. It is in gRPC's package, because the suite tells only that one its server's address.
 */
@Timeout(240)
class InteropTest {
  private static final int TESTS = 35;

  @Test
  void passesOverTcp() {
    passes(OverTcp.class);
  }

  @Test
  void passesInMemory() {
    passes(InMemory.class);
  }

  @Test
  void passesOverSharedMemory() {
    passes(OverSharedMemory.class);
  }

  @Test
  void passesOverVerbsInMemory() {
    passes(OverVerbsInMemory.class);
  }

  @Test
  @Tag("lab")
  void passesOverRdma() {
    passes(OverRdma.class);
  }

  private static void passes(Class<? extends AbstractInteropTest> suite) {
    Result result = JUnitCore.runClasses(suite);
    assertThat(result.getFailures()).isEmpty();
    assertThat(result.getRunCount()).isEqualTo(TESTS);
    assertThat(result.getIgnoreCount() + result.getAssumptionFailureCount()).isZero();
  }

  /** The common part of the suites. */
  public abstract static class Suite extends AbstractInteropTest {
    VerbenaServerBuilder server(String address) {
      return VerbenaServerBuilder.forAddress(address)
          .maxInboundMessageSize(MAX_MESSAGE_SIZE)
          .setStatsEnabled(false)
          .addStreamTracerFactory(createCustomCensusTracerFactory());
    }

    VerbenaChannelBuilder channel(String address) {
      return VerbenaChannelBuilder.forTarget("verbena:///" + address)
          .usePlaintext()
          .maxInboundMessageSize(MAX_MESSAGE_SIZE)
          .setStatsEnabled(false)
          .intercept(createCensusStatsClientInterceptor());
    }

    static String tcp(SocketAddress server) {
      return "127.0.0.1:" + ((InetSocketAddress) server).getPort();
    }
  }

  /** Over TCP. */
  public static class OverTcp extends Suite {
    @Override
    protected ServerBuilder<?> getServerBuilder() {
      return server("127.0.0.1:0").engine(engine -> engine.path(PathPolicy.TCP_ONLY));
    }

    @Override
    protected ManagedChannelBuilder<?> createChannelBuilder() {
      return channel(tcp(getListenAddress())).engine(engine -> engine.path(PathPolicy.TCP_ONLY));
    }
  }

  /** Within one process. */
  public static class InMemory extends Suite {
    private static final AtomicInteger SERVERS = new AtomicInteger();

    private final String address = "mem://interop-" + SERVERS.incrementAndGet();

    @Override
    protected ServerBuilder<?> getServerBuilder() {
      return server(address);
    }

    @Override
    protected ManagedChannelBuilder<?> createChannelBuilder() {
      return channel(address);
    }
  }

  /** Over a better link alone: calls wait for it. */
  public abstract static class Upgraded extends Suite {
    abstract UpgradeProvider serving();

    abstract UpgradeProvider calling();

    @Override
    protected ServerBuilder<?> getServerBuilder() {
      return server("127.0.0.1:0")
          .engine(engine -> engine.path(PathPolicy.REQUIRE_RDMA).upgrades(serving()));
    }

    @Override
    protected ManagedChannelBuilder<?> createChannelBuilder() {
      return channel(tcp(getListenAddress()))
          .engine(engine -> engine.path(PathPolicy.REQUIRE_RDMA).upgrades(calling()));
    }
  }

  /** Over shared memory. */
  public static class OverSharedMemory extends Upgraded {
    @Override
    UpgradeProvider serving() {
      return new ShmUpgradeProvider();
    }

    @Override
    UpgradeProvider calling() {
      return new ShmUpgradeProvider();
    }
  }

  /** Over RDMA, on verbs in memory. */
  public static class OverVerbsInMemory extends Upgraded {
    private static final Fabric FABRIC = Fabric.threaded(50);
    private static final FabricHost WEST = FABRIC.addHost("west", address("10.9.0.2"));
    private static final FabricHost EAST = FABRIC.addHost("east", address("10.9.0.1"));

    private static InetAddress address(String literal) {
      return InetAddress.ofLiteral(literal);
    }

    private static UpgradeProvider device(FabricHost host) {
      return new RdmaUpgradeProvider(host, RdmaSettings.DEFAULT, NanoClock.SYSTEM);
    }

    @Override
    UpgradeProvider serving() {
      return device(WEST);
    }

    @Override
    UpgradeProvider calling() {
      return device(EAST);
    }
  }

  /** Over RDMA, in the laboratory. */
  public static class OverRdma extends Suite {
    @Override
    protected ServerBuilder<?> getServerBuilder() {
      return server("127.0.0.1:0").engine(engine -> engine.path(PathPolicy.REQUIRE_RDMA));
    }

    @Override
    protected ManagedChannelBuilder<?> createChannelBuilder() {
      return channel(tcp(getListenAddress()))
          .engine(
              engine ->
                  // A machine of the laboratory is slow beside another one.
                  engine.path(PathPolicy.REQUIRE_RDMA).connectTimeout(Duration.ofSeconds(60)));
    }
  }
}
