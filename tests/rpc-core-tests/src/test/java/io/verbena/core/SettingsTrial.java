package io.verbena.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.verbena.api.CallOptions;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.VerbenaException;
import io.verbena.api.bulk.BulkObjects;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.link.TlsOptions;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.SteppedWorld;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A client and a server for which something is set, and that call and send each other objects. */
final class SettingsTrial {
  private static final AtomicInteger NUMBER = new AtomicInteger();
  private static final Duration LONG = Duration.ofHours(1);

  /** How long the object is that is fetched. */
  static final long BYTES = 9_000;

  private static final Set<RpcStatus> TOO_LONG =
      Set.of(RpcStatus.RESOURCE_EXHAUSTED, RpcStatus.INVALID_ARGUMENT);

  /** Longer than what goes in its message, where nothing was measured. */
  private static final int ARRAY = 300 << 10;

  /** A part that may end before its call. */
  private static final Duration SHORT = Duration.ofMillis(1);

  private final List<Consumer<VerbenaClient.Builder>> clients = new ArrayList<>();
  private final List<Consumer<VerbenaServer.Builder>> servers = new ArrayList<>();
  private SessionLimits limits = SessionLimits.DEFAULT;
  private CallOptions call = CallOptions.DEFAULT;
  private TransferOptions options = TransferOptions.DEFAULT;
  private Duration lease = LONG;
  private Duration wait = Duration.ofSeconds(10);
  private Landing landing = Landing.pooled(BYTES);
  private Source source = Source.of(new byte[(int) BYTES]);
  private long offset;
  private long length = BYTES;

  SettingsTrial client(Consumer<VerbenaClient.Builder> settings) {
    clients.add(settings);
    return this;
  }

  SettingsTrial server(Consumer<VerbenaServer.Builder> settings) {
    servers.add(settings);
    return this;
  }

  /** With what is handed over whole. */
  static SettingsTrial with(Object set) {
    SettingsTrial trial = new SettingsTrial();
    switch (set) {
      case SessionLimits limits -> trial.limits = limits;
      case CallOptions options -> trial.call = options;
      case TransferOptions options -> trial.options = options;
      case TlsOptions _ -> {} // in-memory links have none
      default -> throw new AssertionError(set);
    }
    return trial;
  }

  static SettingsTrial publishing(@Nullable String name, Duration lease) {
    try (SteppedWorld world = new SteppedWorld()) {
      BulkObjects objects = world.client().session(world.address()).objects();
      Source one = Source.of(new byte[1]);
      Published _ = name == null ? objects.publish(one, lease) : objects.publish(name, one, lease);
    }
    SettingsTrial trial = new SettingsTrial();
    trial.lease = lease;
    return trial;
  }

  static SettingsTrial fetching(long offset, long length) {
    try (SteppedWorld world = new SteppedWorld()) {
      fetch(world.client().session(world.address()), offset, length);
    }
    SettingsTrial trial = new SettingsTrial();
    trial.offset = offset;
    trial.length = length;
    return trial;
  }

  private static void fetch(Session session, long offset, long length) {
    Transfer _ =
        session
            .objects()
            .fetch(
                new ObjectRef(1, 1, BYTES),
                offset,
                length,
                Landing.pooled(BYTES),
                TransferOptions.DEFAULT);
  }

  static SettingsTrial waiting(Duration time) throws InterruptedException, TimeoutException {
    try (SteppedWorld world = new SteppedWorld()) {
      Session session = world.client().session(world.address());
      Transfer push = session.objects().push("never", Source.of(new byte[1]));
      world.runUntil(push.result().toCompletableFuture()::isDone);
      push.get(time);
    } catch (TransferException e) {
      assertThat(e.status()).isEqualTo(RpcStatus.UNAVAILABLE);
    }
    SettingsTrial trial = new SettingsTrial();
    trial.wait = time;
    return trial;
  }

  static SettingsTrial into(long capacity) {
    SettingsTrial trial = new SettingsTrial();
    trial.landing = Landing.pooled(capacity);
    return trial;
  }

  static SettingsTrial from(Source source) {
    SettingsTrial trial = new SettingsTrial();
    trial.source = source;
    trial.length = source.length();
    return trial;
  }

  private void set(VerbenaServer.Builder builder) {
    builder.serve(Probe.bind(new Probe.Plain())).serve(MirrorRpc.bind(value -> value));
    servers.forEach(settings -> settings.accept(builder));
  }

  private void set(VerbenaClient.Builder builder) {
    clients.forEach(settings -> settings.accept(builder));
  }

  /** Calls, waits, calls again and sends objects, on a clock of its own. */
  void inSteps() {
    try (SteppedWorld world = new SteppedWorld(limits, InMemoryNetwork.DEFAULT_RING_FRAMES);
        Arena arena = Arena.ofShared()) {
      VerbenaServer server = world.server(this::set);
      Session session = world.client(this::set).session(world.address());
      Probe.Stub stub = new Probe.Stub(session, call);
      for (int i = 0; i < 2; i++) {
        String text = "x".repeat(100 + i);
        assertWell(world, stub.submit(Probe.SLOW, text), text);
        assertWell(world, stub.submit(Probe.ECHO, text), text);
        world.pass(Duration.ofMillis(20));
      }
      byte[] array = new byte[ARRAY];
      CompletionStage<byte[]> same = MirrorRpc.async(session, call).same(array);
      world.runUntil(same.toCompletableFuture()::isDone);
      assertSameOrTooLong(array, same.toCompletableFuture()::join);
      ObjectRef ref = server.publish(source, lease).ref();
      assertCame(world, session.objects().fetch(ref, offset, length, landing, options), length);
      Source mine = Source.of(arena.allocate(BYTES, 8));
      ObjectRef other = server.publish(mine, lease).ref();
      Landing own = Landing.of(arena.allocate(BYTES, 8));
      assertCame(world, session.objects().fetch(other, own, options), BYTES);
    }
  }

  private void assertWell(SteppedWorld world, CompletableFuture<String> call, String text) {
    world.runUntil(call::isDone);
    if (!isOverSoon(call)) {
      assertThat(call).isCompletedWithValue(text);
    }
  }

  private void assertCame(SteppedWorld world, Transfer transfer, long length) {
    CompletionStage<Received> result = transfer.result();
    CompletableFuture<Received> future = result.toCompletableFuture();
    world.runUntil(future::isDone);
    if (!isOverSoon(future)) {
      assertThat(future.join().length()).isEqualTo(length);
      future.join().close();
    }
  }

  /** Returns whether something was over before it was done, by a time that is so short. */
  private boolean isOverSoon(CompletableFuture<?> future) {
    return future.isCompletedExceptionally()
        && future.exceptionNow() instanceof VerbenaException failure
        && ((isLate(failure) && hasShortTime())
            || (failure.status() == RpcStatus.UNAVAILABLE && lease.compareTo(SHORT) < 0));
  }

  private boolean hasShortTime() {
    Duration calls = call.timeout() == null ? limits.defaultTimeout() : call.timeout();
    Duration transfers = options.timeout() == null ? LONG : options.timeout();
    return calls.compareTo(SHORT) < 0 || transfers.compareTo(SHORT) < 0;
  }

  /** A long array comes back, unless what was set is too little for it, and says so. */
  private void assertSameOrTooLong(byte[] array, Supplier<byte[]> same) {
    Throwable failure = catchThrowable(() -> assertThat(same.get()).isEqualTo(array));
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof VerbenaException known
        && (TOO_LONG.contains(known.status()) || (hasShortTime() && isLate(known)))) {
      assertThat(known).hasMessageMatching("(?s).*(deadline|[a-z]+[A-Z][a-z]+Bytes).*");
    } else {
      assertThat(cause).isNull();
    }
  }

  private static boolean isLate(VerbenaException failure) {
    return failure.status() == RpcStatus.DEADLINE_EXCEEDED;
  }

  /** Calls and fetches with threads that wait, as a program does. */
  void inThreads() throws Exception {
    String address = "mem://settings-" + NUMBER.incrementAndGet();
    VerbenaServer.Builder serving = VerbenaServer.builder().limits(limits);
    set(serving);
    VerbenaClient.Builder calling = VerbenaClient.builder().limits(limits);
    set(calling);
    try (VerbenaServer server = serving.listen(address).start();
        VerbenaClient client = calling.build();
        Session session = client.connect(address, Probe.service("string"))) {
      assertThat(new Probe.Stub(session, call).call(Probe.SLOW, "text")).isEqualTo("text");
      byte[] array = new byte[ARRAY];
      assertSameOrTooLong(array, () -> MirrorRpc.client(session, call).same(array));
      ObjectRef ref = server.publish(source, lease).ref();
      try (Received received =
          session.objects().fetch(ref, offset, length, landing, options).get(wait)) {
        assertThat(received.length()).isEqualTo(length);
      }
    }
  }
}
