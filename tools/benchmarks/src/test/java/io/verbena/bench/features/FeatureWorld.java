package io.verbena.bench.features;

import static java.util.stream.Collectors.joining;

import com.sun.management.ThreadMXBean;
import io.verbena.api.Channel;
import io.verbena.api.Streams;
import io.verbena.channel.BalancedChannel;
import io.verbena.channel.ChannelTime;
import io.verbena.core.VerbenaClient;
import io.verbena.testkit.SteppedWorld;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * A client and servers that use one feature, in memory. One thread steps all of them, on a clock
 * that stands still: what is timed is work alone, and no wait. For one thread.
 */
final class FeatureWorld implements AutoCloseable {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int MOST_STEPS = 1_000_000;

  private final Feature feature;
  private final SteppedWorld world = new SteppedWorld();
  private final BellRpc.Async async;
  private long rung;

  /** The time of a round for each call or item. */
  record Cost(double nanos, long bytes) {}

  private static final class Tower implements Bell {
    @Override
    public long ring(long number) {
      return number;
    }

    @Override
    public Flow.Publisher<Long> peal(int items) {
      return Streams.of(LongStream.range(0, items));
    }
  }

  /** Takes items, and asks for all of them at once. */
  private static final class Listener implements Flow.Subscriber<Long> {
    int heard;
    boolean over;

    @Override
    public void onSubscribe(Flow.Subscription to) {
      to.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(Long item) {
      heard++;
    }

    @Override
    public void onError(Throwable failure) {
      throw new IllegalStateException("a stream failed", failure);
    }

    @Override
    public void onComplete() {
      over = true;
    }
  }

  FeatureWorld(Feature feature) {
    this.feature = feature;
    List<String> addresses =
        IntStream.range(0, feature.servers()).mapToObj(i -> "mem://bell-" + i).toList();
    for (String address : addresses) {
      world.server(
          server -> {
            server.listen(address).serve(BellRpc.bind(new Tower()));
            if (feature.server() != null) {
              server.serverInterceptor(feature.server());
            }
          });
    }
    VerbenaClient client =
        world.client(
            caller -> {
              if (feature.client() != null) {
                caller.clientInterceptor(feature.client());
              }
            });
    Channel channel =
        feature.channel() == null
            ? client.session(addresses.getFirst())
            : feature
                .channel()
                .apply(
                    BalancedChannel.builder(
                        client, "static:" + addresses.stream().collect(joining(","))))
                .time(new StandingTime())
                .build();
    async = BellRpc.async(channel, feature.options());
  }

  /** Timers of a channel that are never due. */
  private final class StandingTime implements ChannelTime {
    @Override
    public long nanoTime() {
      return world.clock().nanoTime();
    }

    @Override
    public Runnable after(long nanos, Runnable action) {
      if (nanos <= 0) {
        world.handlers().execute(action);
      }
      return () -> {};
    }
  }

  /** Makes some calls one after the other, or takes as many items and more. */
  Cost round(int calls) {
    long bytes = THREADS.getCurrentThreadAllocatedBytes();
    long begun = System.nanoTime();
    int done = 0;
    while (done < calls) {
      done += feature.items() == 0 ? call() : stream();
    }
    double nanos = (double) (System.nanoTime() - begun) / done;
    return new Cost(nanos, (THREADS.getCurrentThreadAllocatedBytes() - bytes) / done);
  }

  private int call() {
    CompletableFuture<Long> call = async.ring(++rung).toCompletableFuture();
    for (int i = 0; !call.isDone(); i++) {
      step(i);
    }
    if (call.join() != rung) {
      throw new IllegalStateException("ring " + rung + " was answered " + call.join());
    }
    return 1;
  }

  private int stream() {
    Listener listener = new Listener();
    CompletableFuture<Flow.Publisher<Long>> call =
        async.peal(feature.items()).toCompletableFuture();
    for (int i = 0; !call.isDone(); i++) {
      step(i);
    }
    call.join().subscribe(listener);
    for (int i = 0; !listener.over; i++) {
      step(i);
    }
    if (listener.heard != feature.items()) {
      throw new IllegalStateException(listener.heard + " items came of " + feature.items());
    }
    return listener.heard;
  }

  private void step(int before) {
    if (before > MOST_STEPS) {
      throw new IllegalStateException("'" + feature.title() + "' does not end");
    }
    world.step();
    world.runHandlers();
  }

  @Override
  public void close() {
    world.close();
  }
}
