package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.api.RpcException;
import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.Session;
import io.verbena.api.SessionListener;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.channel.BalancedChannel;
import io.verbena.channel.ChannelTime;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.RefusedThreads;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A machine that gives no thread more, at each step: what needs one fails alone, in words, and
 * works again as soon as there are threads. Nothing waits for ever.
 */
@Timeout(60)
class NoThreadsTest {
  private final AtomicInteger refused = new AtomicInteger();

  @SuppressWarnings("ThreadLocalUsage") // one for each test
  private final RefusedThreads threads = new RefusedThreads(refused::incrementAndGet);

  private final List<AutoCloseable> open = new ArrayList<>();

  /** The contract. */
  @RpcService(name = "loft.v1")
  interface Loft {
    @RpcMethod(id = 1, nonBlocking = true)
    int add(int number);

    @RpcMethod(id = 2)
    int climb(int number);

    @RpcMethod(id = 3, nonBlocking = true, timeout = "8s")
    int store(byte[] chest);

    @RpcMethod(id = 4, nonBlocking = true, timeout = "8s")
    byte[] fetch(int bytes);

    @RpcMethod(id = 5, nonBlocking = true, timeout = "20s")
    Flow.Publisher<Integer> count(int upTo);
  }

  private static final class Attic implements Loft {
    @Override
    public int add(int number) {
      return number + 1;
    }

    @Override
    public int climb(int number) {
      return number + 1;
    }

    @Override
    public int store(byte[] chest) {
      return chest.length;
    }

    @Override
    public byte[] fetch(int bytes) {
      return new byte[bytes];
    }

    @Override
    public Flow.Publisher<Integer> count(int upTo) {
      return subscriber -> {
        SubmissionPublisher<Integer> publisher = new SubmissionPublisher<>(Runnable::run, 64);
        publisher.subscribe(subscriber);
        for (int i = 0; i < upTo; i++) {
          publisher.submit(i);
        }
        publisher.close();
      };
    }
  }

  @AfterEach
  void close() throws Exception {
    threads.close();
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
  }

  private <T extends AutoCloseable> T closed(T later) {
    open.add(later);
    return later;
  }

  private void noThreadsMore() {
    refused.set(0);
    threads.after(0);
  }

  private void threadsAgain() {
    assertThat(refused).as("threads refused").hasPositiveValue();
    threads.allow();
  }

  private static VerbenaServer.Builder loft() {
    return VerbenaServer.builder()
        .listen("127.0.0.1:0")
        .loops(1)
        .serve(NoThreadsTest_LoftRpc.bind(new Attic()));
  }

  private static String at(VerbenaServer server, String host) {
    return host + ":" + server.address().getPort();
  }

  private Session session(VerbenaClient client, VerbenaServer server) {
    return client.session(at(server, "127.0.0.1"));
  }

  private static RpcException failure(CompletableFuture<?> call) throws Exception {
    call.handle((result, failure) -> failure).get(30, TimeUnit.SECONDS);
    return (RpcException) call.exceptionNow();
  }

  private static CompletableFuture<Integer> add(Session session) {
    return NoThreadsTest_LoftRpc.async(session).add(1).toCompletableFuture();
  }

  @Test
  void aServerSaysWhyItDoesNotStart() {
    VerbenaServer.Builder server = loft();
    noThreadsMore();
    assertThatThrownBy(server::start)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll(
            "no thread can be started for the event loop", RefusedThreads.WORDS);
    threadsAgain();
    VerbenaServer started = closed(loft().start());
    assertThat(add(session(closed(VerbenaClient.builder().build()), started)).join()).isEqualTo(2);
  }

  @Test
  void aClientSaysWhyItHasNoSession() {
    VerbenaServer server = closed(loft().start());
    VerbenaClient client = closed(VerbenaClient.builder().build());
    noThreadsMore();
    assertThatThrownBy(() -> client.connect(at(server, "127.0.0.1")))
        .isInstanceOf(RpcException.class)
        .hasMessageContainingAll(
            "UNAVAILABLE", "no thread can be started for the event loop", RefusedThreads.WORDS);
    threadsAgain();
    assertThat(add(session(client, server)).join()).isEqualTo(2);
  }

  @Test
  void aTokenThatCannotBeAskedForFailsTheCallsThatWait() throws Exception {
    VerbenaServer server = closed(loft().start());
    Session session = session(closed(VerbenaClient.builder().token(() -> "good").build()), server);
    noThreadsMore();
    assertThat(failure(add(session)))
        .hasMessageContainingAll("token supplier could not be called", RefusedThreads.WORDS);
    threadsAgain();
    assertThat(add(session).join()).isEqualTo(2);
  }

  @Test
  void anAuthenticatorThatCannotBeAskedRefuses() throws Exception {
    VerbenaServer server = closed(loft().authenticator(shown -> "a friend").start());
    Session session = session(closed(VerbenaClient.builder().build()), server);
    noThreadsMore();
    assertThat(failure(add(session)).status().name()).startsWith("UNA");
    threadsAgain();
    assertThat(add(session).join()).isEqualTo(2);
  }

  @Test
  void aHandlerThatFindsNoThreadFailsItsCallAlone() throws Exception {
    VerbenaServer server = closed(loft().start());
    Session session = session(closed(VerbenaClient.builder().build()), server);
    assertThat(add(session).join()).isEqualTo(2);
    NoThreadsTest_LoftRpc.Async async = NoThreadsTest_LoftRpc.async(session);
    noThreadsMore();
    assertThat(failure(async.climb(1).toCompletableFuture()))
        .hasMessageContaining(RefusedThreads.WORDS);
    assertThat(add(session).join()).isEqualTo(2);
    threadsAgain();
    assertThat(async.climb(1).toCompletableFuture().join()).isEqualTo(2);
  }

  @Test
  void aLargeArgumentWhoseWorkFindsNoThreadFailsItsCallAlone() throws Exception {
    VerbenaServer server = closed(loft().start());
    Session session = session(closed(VerbenaClient.builder().build()), server);
    Loft loft = NoThreadsTest_LoftRpc.client(session);
    assertThat(loft.add(1)).isEqualTo(2);
    noThreadsMore();
    CompletableFuture<Integer> call = blocking(() -> loft.store(new byte[2 << 20]));
    assertThat(failure(call)).hasMessageContaining("thread");
    threadsAgain();
    assertThat(loft.store(new byte[2 << 20])).isEqualTo(2 << 20);
  }

  @Test
  void aLargeResultWhoseWorkFindsNoThreadFailsItsCallAlone() throws Exception {
    VerbenaServer server = closed(loft().start());
    Session session = session(closed(VerbenaClient.builder().build()), server);
    Loft loft = NoThreadsTest_LoftRpc.client(session);
    assertThat(loft.add(1)).isEqualTo(2);
    noThreadsMore();
    CompletableFuture<byte[]> call = blocking(() -> loft.fetch(2 << 20));
    assertThat(failure(call)).hasMessageContaining("thread");
    threadsAgain();
    assertThat(loft.fetch(2 << 20)).hasSize(2 << 20);
  }

  /** The thread that wrote the file has ended, as it had nothing to do for 2 s. */
  @Tag("long")
  @Test
  void aFileWhoseTransferFailsWithoutAThreadMayBeHadAgain(@TempDir Path directory)
      throws Exception {
    VerbenaServer server = closed(loft().start());
    VerbenaClient client = closed(VerbenaClient.builder().build());
    Session session = session(client, server);
    Landing file = Landing.file(directory.resolve("film"));
    int bytes = 8 << 20;
    CountDownLatch never = new CountDownLatch(1);
    Source stuck =
        Source.generator(
            bytes,
            (chunk, offset) -> {
              if (offset > bytes / 2) {
                never.await();
              }
            });
    Published published = server.publish("film", stuck, Duration.ofHours(1));
    Transfer transfer = session.objects().fetch(published.ref(), file);
    while (transfer.progress().bytes() == 0) {
      Thread.sleep(Duration.ofMillis(10));
    }
    awaitNone("verbena-client-files");
    noThreadsMore();
    transfer.cancel();
    while (refused.get() == 0) {
      Thread.sleep(Duration.ofMillis(10));
    }
    threadsAgain();
    assertThatThrownBy(() -> transfer.get(Duration.ofSeconds(30))).hasMessageContaining("CANCEL");
    never.countDown();
    assertThat(session.objects().fetch(published.ref(), file).get(Duration.ofSeconds(30)).length())
        .isEqualTo(bytes);
    assertThat(directory).isDirectoryNotContaining("glob:**.verbena.*");
  }

  /** On a thread that was there before, and may wait. */
  private static <T> CompletableFuture<T> blocking(Supplier<T> call) {
    CompletableFuture<T> outcome = new CompletableFuture<>();
    try {
      outcome.complete(call.get());
    } catch (RpcException e) {
      outcome.completeExceptionally(e);
    }
    return outcome;
  }

  @Test
  void aListenerIsToldAsSoonAsThereIsAThread() throws Exception {
    BlockingQueue<String> told = new LinkedBlockingQueue<>();
    VerbenaServer server = closed(loft().start());
    VerbenaClient client =
        closed(
            VerbenaClient.builder()
                .sessionListener(
                    new SessionListener() {
                      @Override
                      public void opened(Session session) {
                        told.add("opened");
                      }
                    })
                .build());
    Session session = session(client, server);
    noThreadsMore();
    assertThat(add(session).join()).isEqualTo(2);
    assertThat(told).isEmpty();
    threadsAgain();
    assertThat(told.poll(30, TimeUnit.SECONDS)).isEqualTo("opened");
  }

  private static boolean isThere(String name) {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().startsWith(name));
  }

  /** Of another test: they end when its channels are closed. */
  private static void awaitNone(String name) throws InterruptedException {
    while (isThere(name)) {
      Thread.sleep(Duration.ofMillis(50));
    }
  }

  @Test
  void aChannelSaysWhyItIsNotMade() throws Exception {
    awaitNone("verbena-channel-timer");
    VerbenaClient client = closed(VerbenaClient.builder().build());
    BalancedChannel.Builder channel = BalancedChannel.builder(client, "static:127.0.0.1:7400");
    noThreadsMore();
    assertThatThrownBy(channel::build)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContainingAll(
            "no thread can be had for the channel's timers", RefusedThreads.WORDS);
    threadsAgain();
    closed(channel.build());
  }

  @Test
  void aChannelThatWasIdleHasItsTimersAllTheSame() throws Exception {
    VerbenaServer server = closed(loft().start());
    VerbenaClient client = closed(VerbenaClient.builder().build());
    BalancedChannel channel =
        closed(BalancedChannel.builder(client, "static:" + at(server, "127.0.0.1")).build());
    assertThat(NoThreadsTest_LoftRpc.client(channel).add(1)).isEqualTo(2);
    for (int i = 0; i < 80 && isThere("verbena-channel-timer"); i++) {
      Thread.sleep(Duration.ofMillis(50));
    }
    CountDownLatch timer = new CountDownLatch(1);
    noThreadsMore();
    ChannelTime.SYSTEM.after(0, timer::countDown);
    assertThat(timer.await(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aNameThatCannotBeLookedUpFailsTheCallsThatWait() throws Exception {
    awaitNone("verbena-lookup");
    VerbenaServer server = closed(loft().start());
    Session session = closed(VerbenaClient.builder().build()).session(at(server, "localhost"));
    noThreadsMore();
    assertThat(failure(add(session)))
        .hasMessageContainingAll("'localhost' could not be looked up", RefusedThreads.WORDS);
    threadsAgain();
    assertThat(add(session).join()).isEqualTo(2);
  }

  @Test
  void aStreamThatFindsNoThreadWaitsAloneUntilThereIsOne() throws Exception {
    VerbenaServer server = closed(loft().start());
    Session session = session(closed(VerbenaClient.builder().build()), server);
    NoThreadsTest_LoftRpc.Async loft = NoThreadsTest_LoftRpc.async(session);
    Flow.Publisher<Integer> numbers = loft.count(10).toCompletableFuture().join();
    noThreadsMore();
    CompletableFuture<Integer> sum = sum(numbers);
    assertThat(add(session).join()).isEqualTo(2);
    assertThat(sum).isNotDone();
    threadsAgain();
    assertThat(sum.get(30, TimeUnit.SECONDS)).isEqualTo(45);
    assertThat(sum(loft.count(10).toCompletableFuture().join()).get(30, TimeUnit.SECONDS))
        .isEqualTo(45);
  }

  private static CompletableFuture<Integer> sum(Flow.Publisher<Integer> numbers) {
    CompletableFuture<Integer> sum = new CompletableFuture<>();
    numbers.subscribe(
        new Flow.Subscriber<>() {
          private int so;

          @Override
          public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
          }

          @Override
          public void onNext(Integer number) {
            so += number;
          }

          @Override
          public void onError(Throwable failure) {
            sum.completeExceptionally(failure);
          }

          @Override
          public void onComplete() {
            sum.complete(so);
          }
        });
    return sum;
  }
}
