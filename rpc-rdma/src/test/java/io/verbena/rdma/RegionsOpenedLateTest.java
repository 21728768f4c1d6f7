package io.verbena.rdma;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.region.ExposedRegion;
import io.verbena.api.region.RegionRef;
import io.verbena.api.region.Regions;
import io.verbena.link.BulkPort;
import io.verbena.link.BulkTarget;
import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkListener;
import io.verbena.link.LinkOptions;
import io.verbena.link.UpgradeDriver;
import io.verbena.link.UpgradeProvider;
import io.verbena.testkit.Seed;
import io.verbena.verbs.fabric.DeviceProfile;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The peer is told of a region when its device finds it open: what tells it may go by another link
 * than what opens it.
 */
final class RegionsOpenedLateTest {
  private static final int ALL = Regions.READ | Regions.WRITE | Regions.ATOMIC;

  /** A wait for the owner's device to bind a window. */
  private final List<Runnable> bound = new ArrayList<>();

  private boolean holds = true;
  private final RdmaWorld world =
      new RdmaWorld(
              Seed.random("regions that are opened late").nextLong(),
              DeviceProfile.full(),
              RdmaSettings.DEFAULT,
              server -> {},
              client -> {},
              verbs -> {},
              Late::new)
          .upgraded();
  private final MemorySegment memory = world.memory(4096);
  private final ExposedRegion exposed =
      world.accepted.regions().expose(memory, ALL, Duration.ofHours(1));
  private final RegionRef region = exposed.ref();

  /** Links whose windows are bound when the test says so. */
  private final class Late implements ForwardingProvider {
    private final UpgradeProvider provider;

    Late(UpgradeProvider provider) {
      this.provider = provider;
    }

    @Override
    public UpgradeProvider provider() {
      return provider;
    }

    @Override
    public UpgradeDriver newDriver(Runnable wakeLoop) {
      UpgradeDriver driver = provider.newDriver(wakeLoop);
      return new ForwardingDriver() {
        @Override
        public UpgradeDriver driver() {
          return driver;
        }

        @Override
        public byte[] offer(
            byte[] request, URI local, LinkOptions options, LinkDriver.ConnectHandler handler)
            throws LinkException {
          return driver.offer(
              request,
              local,
              options,
              new LinkDriver.ConnectHandler() {
                @Override
                public LinkListener onConnected(Link link) {
                  return handler.onConnected(
                      otherwise(Link.class, link, "bulk", RegionsOpenedLateTest.this::late));
                }

                @Override
                public void onFailed(LinkException failure) {
                  handler.onFailed(failure);
                }
              });
        }
      };
    }
  }

  private Object late(Object[] none, Object port) {
    return otherwise(
        BulkPort.class,
        (BulkPort) port,
        "expose",
        (more, target) ->
            otherwise(
                BulkTarget.class,
                (BulkTarget) target,
                "whenOpen",
                (arguments, nothing) -> nothing,
                arguments -> arguments[0] = whenBound((Runnable) arguments[0])));
  }

  private Runnable whenBound(Runnable then) {
    return () -> {
      if (holds) {
        bound.add(then);
      } else {
        then.run();
      }
    };
  }

  private interface Then {
    Object apply(Object[] arguments, Object result);
  }

  private interface First {
    void accept(Object[] arguments);
  }

  private static <T> T otherwise(Class<T> type, T one, String method, Then then) {
    return otherwise(type, one, method, then, arguments -> {});
  }

  /** Returns one of which a method has its arguments and its result changed. */
  private static <T> T otherwise(Class<T> type, T one, String method, Then then, First first) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, called, arguments) -> {
              boolean here = called.getName().equals(method);
              if (here && arguments != null) {
                first.accept(arguments);
              }
              try {
                Object result = called.invoke(one, arguments);
                return here ? then.apply(arguments, result) : result;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  @AfterEach
  void leaveNothing() {
    world.close();
  }

  private long word() {
    MemorySegment into = MemorySegment.ofArray(new long[1]);
    CompletableFuture<Void> get = world.session.regions().get(region, 8, into);
    world.world.runUntil(get::isDone);
    get.join();
    world.world.pass(Duration.ofMillis(5));
    return into.get(JAVA_LONG, 0);
  }

  /** Returns how often the client has read by its own device. */
  private long reads() {
    return world.verbs.east.counts().others();
  }

  private void askedToOpen() {
    for (int i = 1; i <= 4; i++) {
      memory.set(JAVA_LONG, 8, i);
      assertThat(word()).isEqualTo(i);
    }
    assertThat(bound).hasSize(1);
  }

  @Test
  void thePeerReadsByItselfOnceTheWindowIsBound() {
    askedToOpen();
    assertThat(reads()).isZero();
    bound.removeFirst().run();
    world.world.pass(Duration.ofMillis(5));
    assertThat(word()).isEqualTo(4);
    assertThat(reads()).isEqualTo(1);
  }

  @Test
  void whereItsLinkIsLostBeforeThePeerAsksAgainByTheNext() {
    askedToOpen();
    world.verbs.east.removeDevice();
    world.world.runUntil(() -> world.session.path().link().equals("mem"));
    assertThat(word()).isEqualTo(4);
    world.verbs.east.restoreDevice();
    holds = false;
    world.world.runUntil(() -> world.session.path().link().equals("rdma"));
    world.world.pass(Duration.ofSeconds(3));
    word();
    assertThat(word()).isEqualTo(4);
    assertThat(reads()).isPositive();
  }

  @Test
  void whatIsClosedBeforeIsFencedAllTheSame() {
    askedToOpen();
    exposed.close();
    world.world.pass(Duration.ofMillis(20));
    assertThat(exposed.ended()).isDone();
    bound.removeFirst().run();
    world.world.pass(Duration.ofSeconds(6));
    assertThat(world.session.path().link()).isEqualTo("rdma");
    assertThat(reads()).isZero();
  }
}
