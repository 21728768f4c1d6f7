package io.verbena.core;

import io.verbena.core.bulk.BulkContext;
import io.verbena.core.bulk.CopyCost;
import io.verbena.core.bulk.CutOffs;
import io.verbena.core.bulk.StandingOptions;
import io.verbena.core.link.LinkOptions;
import io.verbena.core.link.LinkProvider;
import io.verbena.core.link.UpgradeProvider;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Idling;
import io.verbena.core.loop.LoopThread;
import io.verbena.core.memory.MemoryBudget;
import io.verbena.core.memory.SlotPool;
import io.verbena.core.session.SessionContext;
import io.verbena.core.session.UpgradeOptions;
import io.verbena.core.stat.EngineStat;
import io.verbena.core.stat.SessionStat;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The event loops and memory of one client or server. Each kind of link has a loop of its own, made
 * when first needed. Safe for use by any thread.
 */
final class Engine implements AutoCloseable {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  private final EngineOptions options;
  private final SlotPool slots;
  private final SlotPool fragmentSlots;
  private final MemoryBudget assemblies;
  private final BulkContext bulk;
  private final Map<String, EventLoop> loops = new HashMap<>();
  private final Map<String, LoopThread> threads = new HashMap<>();
  private boolean closed;

  Engine(EngineOptions options) {
    this.options = options;
    this.slots = new SlotPool(EngineOptions.SLOT_BYTES, options.slotMemoryBytes());
    this.fragmentSlots = new SlotPool(EngineOptions.MAX_FRAME_BYTES, options.slotMemoryBytes());
    this.assemblies = new MemoryBudget(options.maxAssemblyBytes());
    this.bulk =
        BulkContext.of(
            options.bulkMemoryBytes(), options.cutOffs(), !isStepped(), options.standing());
    if (bulk.measures()) {
      CopyCost.measure(NanoClock.SYSTEM);
    }
  }

  SessionContext context(String scheme, LinkOptions link, UpgradeOptions upgrade) {
    return new SessionContext(
        loop(scheme),
        options.limits(),
        slots,
        fragmentSlots,
        assemblies,
        options.handlers(),
        link,
        upgrade,
        bulk);
  }

  private synchronized EventLoop loop(String scheme) {
    EventLoop given = options.steppedLoop();
    if (given != null) {
      return given;
    }
    EventLoop loop = loops.get(scheme);
    if (loop == null) {
      if (closed) {
        throw new IllegalStateException(options.name() + " is closed");
      }
      LinkProvider links = LinkProviders.of(scheme);
      String name = "verbena-" + options.name() + "-" + NUMBER.incrementAndGet();
      loop = new EventLoop(name, NanoClock.SYSTEM, links);
      loops.put(scheme, loop);
      threads.put(scheme, LoopThread.start(loop, options.idling()));
    }
    return loop;
  }

  /** Returns the message slots in use: 0 when nothing is under way. */
  int slotsInUse() {
    return slots.inUse() + fragmentSlots.inUse();
  }

  BulkContext bulk() {
    return bulk;
  }

  /** Returns what there is to tell of the whole. Safe for use by any thread. */
  EngineStat stat(String name, UpgradeOptions upgrade, List<SessionStat> sessions) {
    UpgradeProvider provider = upgrade.provider();
    Map<String, Long> figures = provider == null ? Map.of() : provider.figures();
    return new EngineStat(
        name,
        slotsInUse(),
        slots.maxSlots() + fragmentSlots.maxSlots(),
        bulk.stats(),
        bulk.shelf().stat(),
        figures,
        sessions);
  }

  boolean isStepped() {
    return options.steppedLoop() != null;
  }

  @Override
  public synchronized void close() {
    closed = true;
    threads.values().forEach(LoopThread::close);
    threads.clear();
    loops.clear();
    bulk.shelf().close();
    bulk.memory().close();
  }

  /**
   * What a client and a server have in common.
   *
   * @param name for threads
   * @param idling when an idle loop waits in the kernel
   * @param steppedLoop a loop that the caller steps itself; null: loops with threads of their own
   */
  record EngineOptions(
      String name,
      SessionLimits limits,
      Executor handlers,
      long slotMemoryBytes,
      long maxAssemblyBytes,
      long bulkMemoryBytes,
      CutOffs cutOffs,
      StandingOptions standing,
      Idling idling,
      @Nullable EventLoop steppedLoop) {
    /** A control message that is longer is cut into frames. */
    static final int SLOT_BYTES = 4096;

    /** The longest frame: what a piece of a long message takes. */
    static final int MAX_FRAME_BYTES = 64 * 1024;

    /** 16 MiB: 4,096 small messages on their way, as many as four full windows. */
    static final long DEFAULT_SLOT_MEMORY_BYTES = 16L << 20;

    /** 512 MiB: a hundred files on their way, or two objects of 256 MiB in pooled memory. */
    static final long DEFAULT_BULK_MEMORY_BYTES = 512L << 20;

    static long defaultAssemblyBytes() {
      return Math.max(64L << 20, Runtime.getRuntime().maxMemory() / 4);
    }
  }
}
