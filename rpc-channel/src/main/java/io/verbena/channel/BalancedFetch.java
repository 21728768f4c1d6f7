package io.verbena.channel;

import io.verbena.api.Metadata;
import io.verbena.api.RpcStatus;
import io.verbena.api.bulk.Checksum;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.bulk.TransferException;
import io.verbena.api.bulk.TransferOptions;
import io.verbena.api.settings.Checks;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.core.bulk.FencedFuture;
import io.verbena.link.runtime.NanoClock;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A fetch over a channel: one attempt after the other, each a transfer of one session, until the
 * object is here.
 *
 * <pre>
 *   WAITS for a server, or for its delay ──→ attempt ──the object is here, or can never be──→ over
 *        ↑──────── UNAVAILABLE, and it may try again ──┘
 *   WAITS ──cancel, timeout, no server──→ over
 * </pre>
 *
 * Safe for use by any thread.
 */
final class BalancedFetch implements Transfer {
  /** For balancers, which choose by methods. */
  private static final MethodDescriptor<Void> FETCH =
      new MethodDescriptor<>("verbena.objects", 1, "fetch", true, false, true, 0, in -> null, null);

  /** The time to wait for a server is over. */
  private static final Members.Pick LATE = new Members.Pick.None("", false);

  /** As calls have, for servers that shut down. */
  private static final int FREE_MOVES = 2;

  private final BalancedChannel channel;
  private final ObjectRef ref;
  private final Landing into;
  private final TransferOptions options;
  private final long start;
  private final CompletableFuture<Received> outcome = new CompletableFuture<>();
  private final Result result = new Result();
  private final Runnable lookAgain = this::next;

  // ---- under its lock ----
  private final Set<Member> tried = new HashSet<>();

  /** The bytes that need not be fetched again, because earlier attempts brought them. */
  private long here;

  /** Whether a server is being chosen, or an attempt is under way. */
  private boolean busy;

  private @Nullable Transfer attempt;
  private boolean over;
  private boolean cancelled;
  private long progressAt;
  private long resumedFrom;

  /** Where the current attempt began, or the last one did. */
  private long from;

  /** The most bytes that an attempt of the past brought, with those before it. */
  private long reached;

  private @Nullable Duration took;
  private int begun;
  private int attempts = 1;
  private int moves;

  /** Whether the next attempt goes to a server that this fetch has not been to. */
  private boolean moved;

  private int waits;
  private Runnable withdraw = () -> {};
  private @Nullable TransferException last;

  BalancedFetch(BalancedChannel channel, ObjectRef ref, Landing into, TransferOptions options) {
    this.channel = channel;
    this.ref = ref;
    this.into = into;
    this.options = options;
    this.start = now();
    this.progressAt = start;
  }

  private long now() {
    return channel.settings().time().nanoTime();
  }

  void begin() {
    next();
  }

  // ---- attempts ----

  /** Begins an attempt, now or as soon as there is a server. */
  private void next() {
    Members.Pick pick;
    TransferException met;
    synchronized (this) {
      if (over || busy) {
        return;
      }
      withdraw.run();
      met = last;
      pick = left() <= 0 ? LATE : pick();
      busy = pick instanceof Members.Pick.Found;
    }
    switch (pick) {
      case Members.Pick.Found(Member member) -> attempt(member);
      case Members.Pick.None(String why, boolean _) ->
          fail(pick == LATE ? late() : met == null ? failure(RpcStatus.UNAVAILABLE, why) : met);
      case Members.Pick.Later(CompletableFuture<Void> change) -> {
        after(left());
        channel.members().await(lookAgain, change);
        if (isOver()) {
          channel.members().forget(lookAgain); // it ended meanwhile
        }
      }
    }
  }

  private Members.Pick pick() {
    Balancer.Outgoing call = new Balancer.Outgoing(FETCH, Metadata.EMPTY, begun > 0);
    return channel.members().pick(call, tried, moved);
  }

  private synchronized boolean isOver() {
    return over;
  }

  private void attempt(Member member) {
    Transfer begins;
    long offset;
    synchronized (this) {
      if (over) {
        return;
      }
      tried.add(member);
      begun++;
      from = here;
      offset = from;
    }
    member.begin();
    try {
      begins =
          member
              .session()
              .objects()
              .fetch(ref, offset, ref.length() - offset, landing(into, offset), remaining());
    } catch (RuntimeException | Error e) {
      member.end(e);
      fail(failure(RpcStatus.INVALID_ARGUMENT, String.valueOf(e.getMessage())));
      return;
    }
    boolean stops;
    synchronized (this) {
      attempt = begins;
      stops = cancelled;
    }
    if (stops) {
      begins.cancel();
    }
    begins.result().whenComplete((received, thrown) -> ended(member, begins, received, thrown));
  }

  private TransferOptions remaining() {
    return options.timeout() == null
        ? options
        : options.withTimeout(Duration.ofNanos(Math.max(1, left())));
  }

  /** Returns the landing for the bytes from an offset. */
  private Landing landing(Landing whole, long from) {
    return switch (whole) {
      case Landing.Watched(Landing inner, Consumer<? super Transfer> watcher) ->
          landing(inner, from).watched(watcher);
      case Landing.InMemory(MemorySegment memory, MemorySegment.Scope freedWith) ->
          Landing.of(memory.asSlice(from), freedWith);
      case Landing.InChunks(Landing.ChunkConsumer consumer) ->
          Landing.chunks(
              (chunk, offset) -> {
                consumer.accept(chunk, from + offset);
                consumed(from + offset + chunk.byteSize());
              });
      case Landing.Pooled _, Landing.InFile _, Landing.AtCaller _ -> whole;
    };
  }

  private synchronized void consumed(long upTo) {
    here = upTo;
  }

  private static Landing plain(Landing landing) {
    return landing instanceof Landing.Watched(Landing inner, var _) ? plain(inner) : landing;
  }

  private void ended(
      Member member, Transfer ended, @Nullable Received received, @Nullable Throwable thrown) {
    member.end(thrown);
    synchronized (this) {
      attempt = null;
      busy = false;
      reached =
          received != null ? ref.length() : Math.max(reached, from + ended.progress().bytes());
      if (begun == 1) {
        resumedFrom = ended.progress().resumedFrom();
      }
    }
    if (received != null) {
      channel.answered();
      succeed(received);
    } else if (thrown instanceof TransferException failure) {
      failed(failure);
    } else {
      fail(failure(RpcStatus.INTERNAL, String.valueOf(thrown)));
    }
  }

  private void failed(TransferException failure) {
    long delay;
    synchronized (this) {
      last = failure;
      if (plain(into) instanceof Landing.InMemory && options.checksum() != Checksum.ALWAYS) {
        here += failure.offset();
      }
      if (failure.offset() > 0) {
        progressAt = now();
        waits = 0;
      }
      delay = cancelled || failure.status() != RpcStatus.UNAVAILABLE ? -1 : delay();
    }
    if (delay < 0) {
      fail(failure);
    } else if (delay == 0) {
      next();
    } else {
      after(delay);
    }
  }

  /** Returns the nanoseconds until the next attempt; below 0: none follows. */
  private long delay() {
    ChannelSettings settings = channel.settings();
    moved = channel.members().hasOther(tried) && (moves < FREE_MOVES || channel.takeToken());
    if (moved) {
      moves++;
      channel.counters().moves.increment();
      return 0;
    }
    tried.clear();
    if (settings.waitForReady()) {
      return Math.min(
          Math.max(1, left()), settings.retries().delay().nanos(++waits, settings.random()));
    }
    if (attempts >= settings.retries().attempts() || !channel.takeToken()) {
      return -1;
    }
    channel.counters().retries.increment();
    return settings.retries().delay().nanos(attempts++, settings.random());
  }

  /** Returns the nanoseconds for which it may still wait. */
  private synchronized long left() {
    Duration timeout = options.timeout();
    return timeout == null
        ? progressAt + channel.defaultTimeoutNanos() - now()
        : start + NanoClock.nanos(timeout) - now();
  }

  private void after(long nanos) {
    synchronized (this) {
      withdraw.run();
      withdraw = channel.settings().time().after(nanos, this::next);
    }
  }

  // ---- its end ----

  private TransferException late() {
    TransferException met = last;
    if (met != null && options.timeout() == null) {
      return met;
    }
    String why =
        met == null
            ? "no server was ready in time: " + channel.members().why()
            : "time is over after " + begun + " attempts: " + met.getMessage();
    return failure(RpcStatus.DEADLINE_EXCEEDED, why);
  }

  private TransferException failure(RpcStatus status, String why) {
    return new TransferException(status, ref.toString(), here, why, last);
  }

  private boolean ends() {
    synchronized (this) {
      if (over) {
        return false;
      }
      over = true;
      took = elapsed();
      withdraw.run();
    }
    channel.members().forget(lookAgain);
    return true;
  }

  private void fail(TransferException failure) {
    if (ends()) {
      outcome.completeExceptionally(failure);
      result.settleFailed(failure);
    }
  }

  private void succeed(Received part) {
    if (!ends()) {
      part.close();
      return;
    }
    Received whole =
        plain(into) instanceof Landing.InMemory(MemorySegment memory, var _)
            ? new InMemory(memory.asSlice(0, ref.length()))
            : new Whole(part, ref.length());
    outcome.complete(whole);
    if (!result.settle(whole)) {
      whole.close(); // its user has ended the future
    }
  }

  /** An object in the user's memory, of which the last attempt brought a part. */
  private record InMemory(MemorySegment memory) implements Received {
    @Override
    public long length() {
      return memory.byteSize();
    }

    @Override
    public void close() {}
  }

  /** An object elsewhere, of which the last attempt brought a part. */
  private record Whole(Received part, long length) implements Received {
    @Override
    public MemorySegment memory() {
      return part.memory();
    }

    @Override
    public void close() {
      part.close();
    }
  }

  /** The user's view of the outcome. Its end cancels the fetch. */
  private final class Result extends FencedFuture<Received> {
    @Override
    protected boolean isFenced() {
      return true;
    }

    @Override
    protected void end() {
      boolean _ = BalancedFetch.this.cancel();
    }
  }

  @Override
  public boolean cancel() {
    Transfer now;
    synchronized (this) {
      if (over) {
        return false;
      }
      cancelled = true;
      now = attempt;
    }
    if (now != null) {
      boolean _ = now.cancel();
    } else {
      fail(failure(RpcStatus.CANCELLED, "it was cancelled while it waited for a server"));
    }
    return true;
  }

  private Duration elapsed() {
    return Duration.ofNanos(Math.max(0, now() - start));
  }

  @Override
  public synchronized Progress progress() {
    Duration time = took == null ? elapsed() : took;
    Transfer now = attempt;
    if (now == null) {
      return new Progress(reached, ref.length(), time, resumedFrom);
    }
    Progress its = now.progress();
    long resumed = begun == 1 ? its.resumedFrom() : resumedFrom;
    return new Progress(from + its.bytes(), ref.length(), time, resumed);
  }

  @Override
  public CompletionStage<Received> result() {
    return result;
  }

  @Override
  public Received get() throws InterruptedException {
    refuseToBlockTheLoop();
    try {
      return outcome.get();
    } catch (ExecutionException e) {
      throw thrown(e);
    }
  }

  @Override
  public Received get(Duration timeout) throws InterruptedException, TimeoutException {
    Checks.required("timeout", timeout);
    refuseToBlockTheLoop();
    try {
      return outcome.get(NanoClock.nanos(timeout), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw thrown(e);
    }
  }

  private void refuseToBlockTheLoop() {
    if (channel.client().isOnEventLoop() && !outcome.isDone()) {
      throw new IllegalStateException(
          ref + ": a wait would block the event loop. Use result() there.");
    }
  }

  private static RuntimeException thrown(ExecutionException e) {
    if (e.getCause() instanceof TransferException failure) {
      failure.fillInStackTrace(); // it was made on another thread
      return failure;
    }
    return new IllegalStateException(e.getCause());
  }

  @Override
  public String toString() {
    Progress now = progress();
    return ref + ": " + now.bytes() + " of " + now.total() + " bytes, attempt " + begun;
  }
}
