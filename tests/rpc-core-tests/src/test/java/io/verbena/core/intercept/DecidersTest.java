package io.verbena.core.intercept;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallContext;
import io.verbena.api.Execution;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.TransferException;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.core.ClientAuthenticator.AuthenticationException;
import io.verbena.core.Probe;
import io.verbena.core.VerbenaServer;
import io.verbena.core.call.Outburst;
import io.verbena.core.loop.EventLoop;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkOptions;
import io.verbena.link.LinkProvider;
import io.verbena.link.TlsOptions;
import io.verbena.testkit.SteppedWorld;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Users' code that decides who may call: unless it says yes, and in time, nobody may. */
class DecidersTest {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(3);
  private static final int LENGTH = 9_000;

  private final SteppedWorld world = new SteppedWorld();
  private final List<Session> opened = new ArrayList<>();

  @AfterEach
  void close() {
    boolean _ = Thread.interrupted(); // who is late is interrupted: here, the test
    world.close();
  }

  private VerbenaServer server(Callable<String> authenticator) {
    return world.server(
        s ->
            s.serve(
                    Probe.bind(
                        new Probe.Plain() {
                          @Override
                          public String echo(String text) {
                            return CallContext.current().session().peer().identity();
                          }
                        }))
                .connectTimeout(CONNECT_TIMEOUT)
                .onSession(opened::add)
                .authenticator(
                    shown -> {
                      if (shown.token().equals("good")) {
                        return "a friend";
                      }
                      try {
                        return authenticator.call();
                      } catch (AuthenticationException | RuntimeException e) {
                        throw e;
                      } catch (Exception e) {
                        throw new AssertionError(e);
                      }
                    }));
  }

  private Session client(Supplier<String> token) {
    return world
        .client(c -> c.token(token).connectTimeout(CONNECT_TIMEOUT))
        .session(world.address());
  }

  private RpcException failure(Session session) {
    CompletableFuture<String> call = new Probe.Stub(session).submit(Probe.ECHO, "let me in");
    world.runUntil(call::isDone);
    RpcException failure = (RpcException) call.exceptionNow();
    assertThat(failure.execution()).isEqualTo(Execution.NOT_EXECUTED);
    assertThat(opened).as("sessions").isEmpty();
    return failure;
  }

  private void aFriendIsLetIn() {
    CompletableFuture<String> call =
        new Probe.Stub(client(() -> "good")).submit(Probe.ECHO, "let me in");
    world.runUntil(call::isDone);
    assertThat(call).isCompletedWithValue("a friend");
  }

  private String late() {
    world.pass(CONNECT_TIMEOUT.plusSeconds(1));
    boolean _ = Thread.interrupted();
    return "late";
  }

  @ParameterizedTest
  @EnumSource
  void anAuthenticatorThatThrowsRefuses(Outburst outburst) {
    server(outburst::of);
    RpcException failure = failure(client(() -> "anybody's"));
    assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(failure).hasMessageContaining("the server could not check the credentials");
    aFriendIsLetIn();
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", " "})
  @SuppressWarnings("NullAway") // the point
  void anAuthenticatorThatNamesNobodyRefuses(String nobody) {
    server(() -> nobody);
    RpcException failure = failure(client(() -> "anybody's"));
    assertThat(failure.status()).isEqualTo(RpcStatus.UNAUTHENTICATED);
    aFriendIsLetIn();
  }

  @Test
  void anAuthenticatorThatRefusesSaysWhy() {
    server(
        () -> {
          throw new AuthenticationException("no such user");
        });
    RpcException failure = failure(client(() -> "anybody's"));
    assertThat(failure.status()).isEqualTo(RpcStatus.UNAUTHENTICATED);
    assertThat(failure).hasMessageContaining("no such user");
    aFriendIsLetIn();
  }

  @Test
  void anAuthenticatorThatIsLateRefuses() {
    server(this::late);
    RpcException failure = failure(client(() -> "anybody's"));
    assertThat(failure.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    assertThat(failure).hasMessageContaining("could not check the credentials");
    aFriendIsLetIn();
  }

  static Stream<Outburst> outbursts() {
    return Stream.of(Outburst.values());
  }

  @ParameterizedTest
  @MethodSource("outbursts")
  void aTokenSupplierThatThrowsFailsTheCallAtOnce(Outburst outburst) {
    server(() -> "anybody");
    assertNoToken(failure(client(outburst::of)), "threw");
    aFriendIsLetIn();
  }

  @Test
  @SuppressWarnings("NullAway") // the point
  void aTokenSupplierThatReturnsNullFailsTheCallAtOnce() {
    server(() -> "anybody");
    long before = world.clock().nanoTime();
    assertNoToken(failure(client(() -> null)), "returned null");
    assertThat(world.clock().nanoTime() - before).isLessThan(Duration.ofMillis(50).toNanos());
    aFriendIsLetIn();
  }

  @Test
  void aTokenSupplierThatIsLateFailsTheCall() {
    server(() -> "anybody");
    assertNoToken(failure(client(this::late)), "did not answer within 3000 ms");
    aFriendIsLetIn();
  }

  /**
   * A driver whose listeners take clients without a certificate, though all are asked for one: what
   * decides is whether one was seen.
   */
  private LinkDriver careless(LinkDriver driver) {
    return (LinkDriver)
        Proxy.newProxyInstance(
            LinkDriver.class.getClassLoader(),
            new Class<?>[] {LinkDriver.class},
            (self, method, arguments) -> {
              if (method.getName().equals("listen")) {
                arguments[1] = LinkOptions.of(64 << 10, CONNECT_TIMEOUT, null);
              }
              return method.invoke(driver, arguments);
            });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whoShowsNoCertificateWhereEachMustIsRefused(boolean judged) throws Exception {
    EventLoop loop =
        new EventLoop(
            "server",
            world.clock(),
            new LinkProvider() {
              @Override
              public String scheme() {
                return "mem";
              }

              @Override
              public LinkDriver newDriver(Runnable wakeLoop) {
                return careless(world.network().newDriver(wakeLoop));
              }
            });
    List<String> asked = new ArrayList<>();
    VerbenaServer.Builder settings =
        VerbenaServer.builder()
            .steppedBy(List.of(loop), world.handlers(), Thread::startVirtualThread)
            .listen(world.address())
            .tls(TlsOptions.mutual(SSLContext.getDefault()))
            .serve(Probe.bind(new Probe.Plain()))
            .onSession(opened::add);
    if (judged) {
      settings.authenticator(
          shown -> {
            asked.add(shown.token());
            return "anybody";
          });
    }
    try (VerbenaServer _ = settings.start()) {
      CompletableFuture<String> call =
          new Probe.Stub(client(() -> "good")).submit(Probe.ECHO, "let me in");
      world.runUntil(() -> loop.doWork() == 0 && call.isDone());
      RpcException failure = (RpcException) call.exceptionNow();
      assertThat(failure.status()).isEqualTo(RpcStatus.UNAUTHENTICATED);
      assertThat(failure).hasMessageContaining("the client presented no certificate");
      assertThat(opened).as("sessions").isEmpty();
      assertThat(asked).as("asked who may come all the same").isEmpty();
    }
  }

  // ---- pushes ----

  private interface Offered {
    @Nullable Landing to(Landing landing);
  }

  /** Pushes into memory of the server's; returns why it did not get there, where nothing came. */
  private TransferException pushFailure(boolean nonBlocking, @Nullable Offered offered) {
    server(() -> "anybody");
    Session session = client(() -> "good");
    CompletableFuture<String> call = new Probe.Stub(session).submit(Probe.ECHO, "let me in");
    world.runUntil(call::isDone);
    byte[] nothing = new byte[LENGTH];
    byte[] secret = new byte[LENGTH];
    Arrays.fill(secret, (byte) 7);
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(LENGTH);
      List<String> received = new ArrayList<>();
      if (offered != null) {
        opened
            .getFirst()
            .objects()
            .onPush(taking(nonBlocking, offered, Landing.of(memory), received));
        world.settle();
      }
      CompletableFuture<Received> push =
          session
              .objects()
              .push(
                  "secret", Source.of(secret), TransferOptions.DEFAULT.withTimeout(CONNECT_TIMEOUT))
              .result()
              .toCompletableFuture();
      world.runUntil(push::isDone);
      world.pass(Duration.ofSeconds(2));
      assertThat(memory.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(nothing);
      assertThat(received).isEmpty();
      return (TransferException) push.exceptionNow();
    }
  }

  private static PushHandler taking(
      boolean nonBlocking, Offered offered, Landing landing, List<String> received) {
    return new PushHandler() {
      @Override
      public @Nullable Landing offered(Offer offer) {
        return offered.to(landing);
      }

      @Override
      public void received(Offer offer, Received object) {
        received.add(offer.name());
      }

      @Override
      public boolean nonBlocking() {
        return nonBlocking;
      }
    };
  }

  @Test
  void withoutAPushHandlerPushesAreRefused() {
    assertThat(pushFailure(false, null).status()).isEqualTo(RpcStatus.UNIMPLEMENTED);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aPushHandlerThatReturnsNullRefuses(boolean nonBlocking) {
    assertThat(pushFailure(nonBlocking, landing -> null)).hasMessageContaining("refused");
  }

  static Stream<Arguments> outburstsOnThreads() {
    return Stream.of(Outburst.values())
        .flatMap(what -> Stream.of(Arguments.of(what, false), Arguments.of(what, true)));
  }

  @ParameterizedTest
  @MethodSource("outburstsOnThreads")
  void aPushHandlerThatThrowsRefuses(Outburst outburst, boolean nonBlocking) {
    TransferException failure = pushFailure(nonBlocking, landing -> outburst.of());
    assertThat(failure.status()).isEqualTo(RpcStatus.INTERNAL);
  }

  @Test
  void aPushHandlerThatIsLateTakesNothing() {
    TransferException failure =
        pushFailure(
            false,
            landing -> {
              world.pass(CONNECT_TIMEOUT.plusSeconds(1));
              return landing;
            });
    assertThat(failure.status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED);
  }

  private static void assertNoToken(RpcException failure, String words) {
    assertThat(failure.status()).isEqualTo(RpcStatus.UNAUTHENTICATED);
    assertThat(failure).hasMessageContaining("token supplier").hasMessageContaining(words);
  }
}
