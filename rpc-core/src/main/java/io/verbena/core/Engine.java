package io.verbena.core;

import io.verbena.api.CallContext;
import io.verbena.api.SessionListener;
import io.verbena.api.stub.CallScope;
import io.verbena.codec.Compression;
import io.verbena.codec.Lz4;
import io.verbena.core.bulk.BulkContext;
import io.verbena.core.bulk.BulkCounters;
import io.verbena.core.bulk.BulkMemory;
import io.verbena.core.bulk.PublishedObjects;
import io.verbena.core.bulk.stat.CopyCost;
import io.verbena.core.call.Admission;
import io.verbena.core.call.CallCounters;
import io.verbena.core.intercept.Interceptors;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Idling;
import io.verbena.core.loop.Workers;
import io.verbena.core.session.SessionContext;
import io.verbena.core.session.SessionImpl;
import io.verbena.core.session.SessionRole;
import io.verbena.core.session.UpgradeOptions;
import io.verbena.core.stat.CompressionStat;
import io.verbena.core.stat.EngineStat;
import io.verbena.core.stat.SessionStat;
import io.verbena.core.upgrade.ProviderCalls;
import io.verbena.core.user.UserSession;
import io.verbena.link.LinkOptions;
import io.verbena.link.LinkProvider;
import io.verbena.link.ProviderChoice;
import io.verbena.link.memory.Memory;
import io.verbena.link.memory.Quotas;
import io.verbena.link.memory.SlotPool;
import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.ThrottledLog;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The event loops and memory of one client or server. Each kind of link has its own loops, which
 * are made when first needed. Safe for use by any thread.
 */
final class Engine implements AutoCloseable {
  /**
   * A longer message spills to the heap and is split into frames. A shorter one fits in one Send
   * over RDMA, which has 8 KiB by default, 8 of them for RDMA's own headers.
   */
  private static final int SLOT_BYTES = 8 * 1024 - 8;

  /** The longest frame, which a piece of a long message fills. */
  static final int MAX_FRAME_BYTES = 64 * 1024;

  private static final String LZ4_PROVIDER = "io.verbena.compression.JavaLz4";
  private static final int PATIENCE_SECONDS = 2;

  private final String name;
  private final SessionLimits limits;
  private final Executor handlers;
  private final Workers workers;
  private final Idling idling;
  private final int loops;
  private final List<EventLoop> steppedLoops;
  private final List<SessionListener> listeners;
  private final Interceptors interceptors;
  private final SlotPool slots;
  private final SlotPool fragmentSlots;
  private final Quotas quotas;
  private final BulkContext bulk;
  private final @Nullable Compression compression;
  private final CallCounters calls = new CallCounters();
  private final Executor listening;
  private final Map<String, LoopGroup> groups = new ConcurrentHashMap<>();
  private boolean closed;

  /**
   * Makes an engine without loops.
   *
   * @param name for threads
   * @param set the settings, which are copied
   */
  Engine(String name, EngineBuilder<?> set) {
    this.name = name;
    this.limits = set.limits;
    this.handlers = set.handlers;
    this.compression =
        set.compressFromBytes == EngineBuilder.NEVER
            ? null
            : new Compression(lz4OnClassPath(), set.compressFromBytes, limits.maxMessageBytes());
    this.workers = set.workers == null ? Workers.threads("verbena-" + name) : set.workers;
    this.idling = set.idling;
    this.loops = set.loops;
    this.steppedLoops = set.steppedLoops;
    this.listeners = List.copyOf(set.listeners);
    this.interceptors = new Interceptors(List.copyOf(set.ofCalls), List.copyOf(set.ofHandlers));
    this.slots = new SlotPool(SLOT_BYTES, set.bytes(Memory.SLOTS));
    this.fragmentSlots = new SlotPool(MAX_FRAME_BYTES, set.bytes(Memory.SLOTS));
    Map<Memory, Long> memory = new EnumMap<>(set.memory);
    memory.put(Memory.SLOTS, (long) slots.maxSlots());
    this.quotas = new Quotas(memory);
    this.bulk =
        new BulkContext(
            new BulkMemory(set.bytes(Memory.BULK)),
            new PublishedObjects(),
            new BulkCounters(),
            set.cutOffs,
            set.railCutOffBytes,
            !isStepped());
    this.listening = isStepped() ? handlers : workers.listeners();
    if (bulk.measures()) {
      CopyCost.measure(NanoClock.SYSTEM);
    }
  }

  private static Lz4 lz4OnClassPath() {
    ProviderChoice<Lz4> choice =
        ProviderChoice.of(Lz4.class, one -> one.getClass().getName(), one -> 0);
    Lz4 found = choice.get(one -> true);
    if (found == null) {
      String why = choice.whyNone();
      throw new IllegalArgumentException(
          "compressFromBytes is set, but no compression is on the class path%s. %s."
              .formatted(why.isEmpty() ? "" : " (" + why + ")", cure(why)));
    }
    return found;
  }

  private static String cure(String whyNone) {
    if (!whyNone.isEmpty()) {
      return "compression-lz4 needs at.yawk.lz4:lz4-java: check that the build includes it";
    }
    String unlisted = ProviderChoice.unlisted(Lz4.class, LZ4_PROVIDER);
    return unlisted.isEmpty() ? "Add io.verbena:compression-lz4 to the class path" : unlisted;
  }

  /** Returns the context for one more session, on the loop with the fewest sessions. */
  SessionContext join(String scheme, LinkOptions link, UpgradeOptions upgrade) {
    EventLoop loop = isStepped() ? steppedLoops.getFirst() : group(scheme).join();
    return context(loop, link, upgrade);
  }

  /** Removes a session that had {@linkplain #join joined} and has ended. */
  void leave(SessionImpl session) {
    groups.values().forEach(group -> group.leave(session.loop()));
  }

  /**
   * Makes a session without services.
   *
   * @param admission admits the peer's calls; null if all are admitted
   */
  UserSession session(SessionContext context, SessionRole role, @Nullable Admission admission) {
    return new UserSession(context, role, calls, interceptors, admission);
  }

  /** Returns a context for sessions on each of the loops for a kind of link. */
  List<SessionContext> all(String scheme, LinkOptions link, UpgradeOptions upgrade) {
    List<EventLoop> all = isStepped() ? steppedLoops : group(scheme).all();
    return all.stream().map(loop -> context(loop, link, upgrade)).toList();
  }

  private SessionContext context(EventLoop loop, LinkOptions link, UpgradeOptions upgrade) {
    return new SessionContext(
        loop,
        limits,
        compression,
        slots,
        fragmentSlots,
        quotas,
        handlers,
        workers,
        link,
        upgrade,
        bulk,
        listening,
        listeners);
  }

  /** Checks that there are links of this kind. The exception names the missing part. */
  void checkScheme(String scheme) {
    if (!isStepped()) {
      LoopGroup _ = group(scheme);
    }
  }

  private synchronized LoopGroup group(String scheme) {
    if (closed) {
      throw new IllegalStateException(name + " is closed");
    }
    LoopGroup group = groups.get(scheme);
    if (group == null) {
      LinkProvider links = LinkProviders.of(scheme);
      group = new LoopGroup(name, links, idling, loops);
      groups.put(scheme, group);
    }
    return group;
  }

  /** Returns the number of message slots in use; 0 when nothing is in progress. */
  int slotsInUse() {
    return slots.inUse() + fragmentSlots.inUse();
  }

  /** Returns the number of streams that the sessions send; 0 when nothing is in progress. */
  int streamsSent() {
    return calls.streamsSent(0);
  }

  /** Returns the bytes of shared memory that sessions use; 0 when nothing is in progress. */
  long sharedBytesInUse() {
    return quotas.of(Memory.ASSEMBLY).taken()
        + quotas.of(Memory.BULK).taken()
        + quotas.of(Memory.REPLIES).taken();
  }

  BulkContext bulk() {
    return bulk;
  }

  /** Returns the figures of the whole engine. Safe for use by any thread. */
  EngineStat stat(
      String name,
      UpgradeOptions upgrade,
      @Nullable Admission admission,
      List<SessionStat> sessions) {
    Map<String, Long> figures = new LinkedHashMap<>();
    upgrade.providers().forEach(one -> figures.putAll(ProviderCalls.figures(one)));
    return new EngineStat(
        name,
        slotsInUse(),
        slots.maxSlots() + fragmentSlots.maxSlots(),
        bulk.stats(),
        bulk.shelf().stat(),
        figures,
        calls.stat(),
        admission == null ? null : admission.stat(),
        compression == null ? null : CompressionStat.of(compression),
        ThrottledLog.counts(),
        sessions);
  }

  /** Returns whether this thread runs a handler of one of the engine's sessions. */
  boolean isInHandler() {
    CallContext call = CallScope.currentOrNull();
    return call != null
        && call.session() instanceof SessionImpl session
        && groups.values().stream().anyMatch(group -> group.has(session.loop()));
  }

  /** Returns whether this thread runs one of the engine's loops. */
  boolean isOnLoop() {
    return groups.values().stream().anyMatch(LoopGroup::isOwner);
  }

  /**
   * Reads state that only a loop's own thread may read. Returns a default if the loop does not
   * answer in time, or if the calling thread is another loop's.
   */
  static <T> T ask(EventLoop loop, Supplier<T> question, T otherwise) {
    if (loop.isOwner()) {
      return question.get();
    }
    if (loop.isNotToWait()) {
      return otherwise;
    }
    CompletableFuture<T> answer = new CompletableFuture<>();
    loop.execute(() -> answer.complete(question.get()));
    try {
      return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return otherwise;
    } catch (ExecutionException | TimeoutException e) {
      return otherwise;
    }
  }

  SessionLimits limits() {
    return limits;
  }

  boolean isStepped() {
    return !steppedLoops.isEmpty();
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    boolean ended = true;
    for (LoopGroup group : groups.values()) {
      ended &= group.end();
    }
    groups.clear();
    // Otherwise a running thread may still use them, and they stay until the process ends.
    if (ended) {
      bulk.shelf().close();
      bulk.memory().close();
      slots.close();
      fragmentSlots.close();
    }
    workers.endIdle();
  }
}
