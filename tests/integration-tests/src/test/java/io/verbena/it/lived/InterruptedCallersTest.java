package io.verbena.it.lived;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.verbena.api.Answer;
import io.verbena.api.CallContext;
import io.verbena.api.Channel;
import io.verbena.api.ClientCall;
import io.verbena.api.ClientInterceptor;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.channel.BalancedChannel;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.Seed;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Callers are interrupted, or cancel, at any moment of a call whose result is in pooled memory. A
 * result that comes at that very moment goes to its caller, or its memory is freed.
 */
class InterruptedCallersTest {
  private static final int CALLS = Boolean.getBoolean("verbena.long") ? 250 : 40;
  private static final long BYTES = 300_000;

  private enum Way {
    PLAIN,
    INTERCEPTED,
    BALANCED
  }

  private static final class Passing implements ClientInterceptor {
    @Override
    public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
      return call.proceed();
    }
  }

  private static final class Pictures implements Gallery {
    @Override
    public Received show(long bytes, Landing into) {
      return Received.from(Source.generator(bytes, (chunk, offset) -> chunk.fill((byte) 1)));
    }

    @Override
    public ObjectRef publish(long bytes) {
      Source source = Source.generator(bytes, (chunk, offset) -> chunk.fill((byte) 1));
      return CallContext.current().session().objects().publish(source, Duration.ofMinutes(1)).ref();
    }
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void leaveNoMemoryBehind(Way way) throws Exception {
    Random random = Seed.random("interrupted callers");
    VerbenaClient.Builder calling = VerbenaClient.builder();
    if (way == Way.INTERCEPTED) {
      calling.clientInterceptor(new Passing());
    }
    try (VerbenaServer server =
            VerbenaServer.builder()
                .listen("127.0.0.1:0")
                .serve(GalleryRpc.bind(new Pictures()))
                .start();
        VerbenaClient client = calling.build()) {
      String address = server.address().toString();
      if (way == Way.BALANCED) {
        try (BalancedChannel channel =
            BalancedChannel.builder(client, "static:" + server.address().getAuthority()).build()) {
          assertNothingIsLeft(client, channel, random);
        }
      } else {
        try (Session session = client.connect(address)) {
          assertNothingIsLeft(client, session, random);
        }
      }
    }
  }

  private static void assertNothingIsLeft(VerbenaClient client, Channel target, Random random)
      throws Exception {
    Gallery blocking = GalleryRpc.client(target);
    GalleryRpc.Async async = GalleryRpc.async(target);
    for (int i = 0; i < 50; i++) {
      blocking.show(BYTES, Landing.pooled(BYTES)).close();
    }
    long before = System.nanoTime();
    blocking.show(BYTES, Landing.pooled(BYTES)).close();
    int longest = (int) Math.min(20_000_000, 2 * (System.nanoTime() - before));
    for (int i = 0; i < CALLS; i++) {
      Thread caller = Thread.ofVirtual().start(() -> showAndClose(blocking));
      TimeUnit.NANOSECONDS.sleep(random.nextInt(longest));
      caller.interrupt();
      caller.join();
      CompletableFuture<Received> future =
          async.show(BYTES, Landing.pooled(BYTES)).toCompletableFuture();
      TimeUnit.NANOSECONDS.sleep(random.nextInt(longest));
      if (!future.cancel(true)) {
        closed(future);
      }
    }
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(() -> assertThat(client.bulkStats().memoryInUse()).isZero());
  }

  private static void showAndClose(Gallery gallery) {
    try {
      gallery.show(BYTES, Landing.pooled(BYTES)).close();
    } catch (RuntimeException e) {
      assertThat(e).hasMessageContaining("interrupted");
    }
  }

  private static void closed(CompletableFuture<Received> future) {
    try {
      future.join().close();
    } catch (CompletionException | CancellationException e) {
      throw new AssertionError("a future that could not be cancelled has failed", e);
    }
  }
}
