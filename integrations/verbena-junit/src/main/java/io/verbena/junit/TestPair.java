package io.verbena.junit;

import io.verbena.api.Session;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Idling;
import io.verbena.core.loop.LoopThread;
import io.verbena.link.runtime.NanoClock;
import io.verbena.mem.InMemoryNetwork;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One test's server and client, on a network of their own: each has one event loop, with a thread.
 * Safe for use by any thread.
 */
final class TestPair {
  private static final String ADDRESS = "mem://test";
  private static final int PATIENCE_SECONDS = 10;

  private final InMemoryNetwork network;
  private final VerbenaServer server;
  private final VerbenaClient client;
  private final List<LoopThread> threads;
  private final Session session;
  private final Faults faults;
  private final CallsUnderWay calls = new CallsUnderWay();
  private final @Nullable SteppedTime time;

  private TestPair(
      List<ServiceBinding> services,
      List<Consumer<VerbenaServer.Builder>> ofServer,
      List<Consumer<VerbenaClient.Builder>> ofClient,
      @Nullable SteppedTime time) {
    this.time = time;
    NanoClock clock = time == null ? NanoClock.SYSTEM : time.clock();
    network = new InMemoryNetwork(clock, InMemoryNetwork.DEFAULT_RING_FRAMES);
    faults = new Faults(services, time == null ? Delays.REAL : time::after);
    EventLoop serverLoop = new EventLoop("verbena-test-server", clock, network);
    EventLoop clientLoop = new EventLoop("verbena-test-client", clock, network);
    Executor elsewhere = task -> Thread.ofVirtual().name("verbena-test-work").start(task);

    VerbenaServer.Builder serving = VerbenaServer.builder().serverInterceptor(calls);
    services.forEach(serving::serve);
    ofServer.forEach(settings -> settings.accept(serving));
    server =
        serving
            .listen(ADDRESS)
            .steppedBy(List.of(serverLoop), elsewhere, Thread::startVirtualThread)
            .start();

    VerbenaClient.Builder calling = VerbenaClient.builder();
    ofClient.forEach(settings -> settings.accept(calling));
    // Last, so that a retry by the user's own interceptors meets the next fault.
    calling.clientInterceptor(faults.interceptor()).clientInterceptor(calls);
    client = calling.steppedBy(List.of(clientLoop), elsewhere, Thread::startVirtualThread).build();
    session = client.session(ADDRESS);

    // Only now: until here this thread owned the loops.
    Idling idling = Idling.spinning(Duration.ZERO);
    threads = List.of(LoopThread.start(clientLoop, idling), LoopThread.start(serverLoop, idling));
    if (time != null) {
      time.move(List.of(clientLoop, serverLoop));
    }
  }

  /** Starts both, and opens a session between them. */
  static TestPair start(
      List<ServiceBinding> services,
      List<Consumer<VerbenaServer.Builder>> ofServer,
      List<Consumer<VerbenaClient.Builder>> ofClient,
      boolean stepped) {
    TestPair pair = new TestPair(services, ofServer, ofClient, stepped ? new SteppedTime() : null);
    boolean open = false;
    try {
      pair.open();
      open = true;
      return pair;
    } finally {
      if (!open) {
        pair.close();
      }
    }
  }

  private void open() {
    try {
      client.open(session).toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the session opened", e);
    } catch (TimeoutException e) {
      throw new IllegalStateException(
          "the session did not open within " + PATIENCE_SECONDS + " s", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("the session did not open: " + e.getCause(), e.getCause());
    }
  }

  Session session() {
    return session;
  }

  Faults faults() {
    return faults;
  }

  @Nullable SteppedTime steppedTime() {
    return time;
  }

  void dropLink() {
    network.drop(server.address(), "the test dropped the connection");
  }

  /**
   * Waits until nothing is in use.
   *
   * @throws AssertionError naming the resources that are still in use
   */
  void checkForLeaks() {
    Leaks leaks = new Leaks(client, server, calls);
    leaks.await(time == null ? () -> {} : time::tick);
  }

  void close() {
    threads.forEach(LoopThread::close);
    client.close();
    server.close();
  }
}
