package io.verbena.core;

import io.verbena.api.CallContext;
import io.verbena.api.SessionListener;
import io.verbena.api.stub.CallScope;
import io.verbena.codec.Compression;
import io.verbena.core.bulk.BulkContext;
import io.verbena.core.bulk.stat.CopyCost;
import io.verbena.core.bulk.stat.CutOffs;
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
import io.verbena.link.memory.Quotas;
import io.verbena.link.memory.SlotPool;
import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.ThrottledLog;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The event loops and memory of one client or server. Each kind of link has loops of its own, made
 * when first needed. Safe for use by any thread.
 */
final class Engine implements AutoCloseable {
  private final EngineOptions options;
  private final SlotPool slots;
  private final SlotPool fragmentSlots;
  private final Quotas quotas;
  private final BulkContext bulk;
  private final @Nullable Compression compression;
  private final CallCounters calls = new CallCounters();
  private final Executor listening;
  private final Map<String, LoopGroup> groups = new ConcurrentHashMap<>();
  private boolean closed;

  Engine(EngineOptions options) {
    this.options = options;
    this.compression = compression(options);
    this.slots = new SlotPool(EngineOptions.SLOT_BYTES, options.slotMemoryBytes());
    this.fragmentSlots = new SlotPool(EngineOptions.MAX_FRAME_BYTES, options.slotMemoryBytes());
    this.quotas =
        Quotas.of(
            slots.maxSlots(),
            options.maxAssemblyBytes(),
            options.bulkMemoryBytes(),
            options.maxReplyBytes());
    this.bulk =
        BulkContext.of(
            options.bulkMemoryBytes(), options.cutOffs(), options.railCutOffBytes(), !isStepped());
    this.listening = isStepped() ? options.handlers() : options.workers().listeners();
    if (bulk.measures()) {
      CopyCost.measure(NanoClock.SYSTEM);
    }
  }

  private static @Nullable Compression compression(EngineOptions options) {
    int from = options.compressFromBytes();
    return from == EngineOptions.NEVER
        ? null
        : new Compression(Lz4Choice.onClassPath(), from, options.limits().maxMessageBytes());
  }

  /** Returns what one more session is made of, on the loop that has the fewest. */
  SessionContext join(String scheme, LinkOptions link, UpgradeOptions upgrade) {
    List<EventLoop> given = options.steppedLoops();
    EventLoop loop = given.isEmpty() ? group(scheme).join() : given.getFirst();
    return context(loop, link, upgrade);
  }

  /** A session that had {@linkplain #join joined} has ended. */
  void leave(SessionImpl session) {
    groups.values().forEach(group -> group.leave(session.loop()));
  }

  /**
   * Makes a session, which serves nothing yet.
   *
   * @param admission gives the peer's calls places; null where they need none
   */
  UserSession session(SessionContext context, SessionRole role, @Nullable Admission admission) {
    return new UserSession(context, role, calls, options.interceptors(), admission);
  }

  /** Returns what sessions are made of on each of the loops for a kind of link. */
  List<SessionContext> all(String scheme, LinkOptions link, UpgradeOptions upgrade) {
    List<EventLoop> given = options.steppedLoops();
    List<EventLoop> loops = given.isEmpty() ? group(scheme).all() : given;
    return loops.stream().map(loop -> context(loop, link, upgrade)).toList();
  }

  private SessionContext context(EventLoop loop, LinkOptions link, UpgradeOptions upgrade) {
    return new SessionContext(
        loop,
        options.limits(),
        compression,
        slots,
        fragmentSlots,
        quotas,
        options.handlers(),
        options.workers(),
        link,
        upgrade,
        bulk,
        listening,
        options.listeners());
  }

  /** Finds out whether there are links of this kind; the exception says what is missing. */
  void checkScheme(String scheme) {
    if (!isStepped()) {
      LoopGroup _ = group(scheme);
    }
  }

  private synchronized LoopGroup group(String scheme) {
    if (closed) {
      throw new IllegalStateException(options.name() + " is closed");
    }
    LoopGroup group = groups.get(scheme);
    if (group == null) {
      LinkProvider links = LinkProviders.of(scheme);
      group = new LoopGroup(options.name(), links, options.idling(), options.loops());
      groups.put(scheme, group);
    }
    return group;
  }

  /** Returns the message slots in use: 0 when nothing is under way. */
  int slotsInUse() {
    return slots.inUse() + fragmentSlots.inUse();
  }

  /** Returns how many streams its sessions send: 0 when nothing is under way. */
  int streamsSent() {
    return calls.streamsSent(0);
  }

  /** Returns the bytes that sessions have of what they share: 0 when nothing is under way. */
  long sharedBytesInUse() {
    return quotas.assemblies().taken() + quotas.values().taken() + quotas.replies().taken();
  }

  BulkContext bulk() {
    return bulk;
  }

  /** Returns what there is to tell of the whole. Safe for use by any thread. */
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

  /** Returns whether this thread runs a handler of a session of this engine's. */
  boolean isInHandler() {
    CallContext call = CallScope.currentOrNull();
    return call != null
        && call.session() instanceof SessionImpl session
        && groups.values().stream().anyMatch(group -> group.has(session.loop()));
  }

  /** Returns whether this thread is that of one of its loops. */
  boolean isOnLoop() {
    return groups.values().stream().anyMatch(LoopGroup::isOwner);
  }

  SessionLimits limits() {
    return options.limits();
  }

  boolean isStepped() {
    return !options.steppedLoops().isEmpty();
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
    if (ended) { // else what runs on still may use them, and the process has them till it ends
      bulk.shelf().close();
      bulk.memory().close();
    }
  }

  /**
   * What a client and a server have in common.
   *
   * @param name for threads
   * @param handlers the users' executor
   * @param workers do work of the engine's own
   * @param compressFromBytes from which length on messages are compressed
   * @param idling when an idle loop waits in the kernel
   * @param loops how many loops with threads of their own there may be for each kind of link
   * @param steppedLoops loops that the caller steps itself; none: those with threads of their own
   * @param listeners are told what becomes of every session
   * @param interceptors what calls and handlers pass
   */
  record EngineOptions(
      String name,
      SessionLimits limits,
      Executor handlers,
      Workers workers,
      long slotMemoryBytes,
      long maxAssemblyBytes,
      long maxReplyBytes,
      long bulkMemoryBytes,
      CutOffs cutOffs,
      long railCutOffBytes,
      int compressFromBytes,
      Idling idling,
      int loops,
      List<EventLoop> steppedLoops,
      List<SessionListener> listeners,
      Interceptors interceptors) {
    /**
     * A message that is longer spills to the heap and is cut into frames. What fits goes into one
     * Send over RDMA, which has 8 KiB unless set otherwise, of which its own headers take 8 bytes.
     */
    static final int SLOT_BYTES = 8 * 1024 - 8;

    /** No message is compressed. */
    static final int NEVER = 0;

    /** The longest frame: what a piece of a long message takes. */
    static final int MAX_FRAME_BYTES = 64 * 1024;

    /** 32 MiB: 4,096 small messages on their way, as many as four full windows. */
    static final long DEFAULT_SLOT_MEMORY_BYTES = 32L << 20;

    /** 512 MiB: a hundred files on their way, or two objects of 256 MiB in pooled memory. */
    static final long DEFAULT_BULK_MEMORY_BYTES = 512L << 20;

    static long defaultAssemblyBytes() {
      return Math.max(64L << 20, quarterOfHeap());
    }

    static long quarterOfHeap() {
      return Runtime.getRuntime().maxMemory() / 4;
    }
  }
}
