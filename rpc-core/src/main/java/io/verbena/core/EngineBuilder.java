package io.verbena.core;

import io.verbena.core.bulk.CutOffs;
import io.verbena.core.bulk.StandingOptions;
import io.verbena.core.link.LinkOptions;
import io.verbena.core.link.TlsOptions;
import io.verbena.core.link.UpgradeProvider;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Idling;
import io.verbena.core.session.UpgradeOptions;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The settings that a client and a server share. */
abstract class EngineBuilder<B extends EngineBuilder<B>> {
  private SessionLimits limits = SessionLimits.DEFAULT;
  private Executor handlers = task -> Thread.ofVirtual().name("verbena-handler").start(task);
  private long slotMemoryBytes = Engine.EngineOptions.DEFAULT_SLOT_MEMORY_BYTES;
  private long maxAssemblyBytes = Engine.EngineOptions.defaultAssemblyBytes();
  private long bulkMemoryBytes = Engine.EngineOptions.DEFAULT_BULK_MEMORY_BYTES;
  private CutOffs cutOffs = new CutOffs(CutOffs.MEASURED, CutOffs.MEASURED);
  private StandingOptions standing = StandingOptions.NONE;
  private Idling idling = Idling.ADAPTIVE;
  private Duration connectTimeout = Duration.ofSeconds(5);
  private @Nullable TlsOptions tls;
  private @Nullable EventLoop steppedLoop;
  private PathPolicy policy = PathPolicy.PREFER_RDMA;
  private boolean allowPlaintextRdma;
  private @Nullable UpgradeProvider upgrades;

  EngineBuilder() {}

  abstract B self();

  /** Sets what each session allows. */
  public B limits(SessionLimits limits) {
    this.limits = Objects.requireNonNull(limits);
    return self();
  }

  /**
   * Sets where handlers run that may block. Default: a new virtual thread for each call. {@link
   * SessionLimits#maxCalls} bounds how many each session has.
   */
  public B handlers(Executor handlers) {
    this.handlers = Objects.requireNonNull(handlers);
    return self();
  }

  /**
   * Sets the memory for messages on their way, in bytes; allocated as needed, kept.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public B slotMemoryBytes(long bytes) {
    this.slotMemoryBytes = positive("slotMemoryBytes", bytes);
    return self();
  }

  /**
   * Sets the memory for long messages while they arrive, in bytes, all sessions together.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public B maxAssemblyBytes(long bytes) {
    this.maxAssemblyBytes = positive("maxAssemblyBytes", bytes);
    return self();
  }

  /**
   * Sets the memory for large objects, in bytes, all sessions together: where they land in {@code
   * Landing.pooled}, and what files, consumers and generators pass through. Outside the heap;
   * allocated as needed. Default: 512 MiB.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public B bulkMemoryBytes(long bytes) {
    this.bulkMemoryBytes = positive("bulkMemoryBytes", bytes);
    return self();
  }

  /**
   * Keeps memory open to the peer of each session that takes pushes (one whose {@code onPush} is
   * set), as long as its path stands: an object that fits comes at once, without asking for memory
   * first and without opening and closing it, and is copied to where it goes on the event loop.
   * What does not fit, or finds all of them taken, comes as ever. Default: none.
   *
   * <p>The memory is claimed from {@link #bulkMemoryBytes}, rounded up to a power of two of at
   * least 4 KiB each, for every session; one that finds none left goes without and logs so. The
   * peer, and nobody else, may write into it at any time while the path stands, not only during a
   * transfer: open it to peers that may do so.
   *
   * @param count how many for each session, at most 64; 0 for none
   * @param bytes how long each is, 1 to 1 MiB
   * @throws IllegalArgumentException if either is out of range
   */
  public B standingLandings(int count, int bytes) {
    this.standing = count == 0 ? StandingOptions.NONE : new StandingOptions(count, bytes);
    return self();
  }

  /**
   * Sets from how many bytes on a {@code byte[]}, {@code ByteBuffer} or {@code MemorySegment} in a
   * call travels as bulk, beside its message. Default: measured for each session, see {@code
   * ./verbena calibrate}.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public B partCutOffBytes(long bytes) {
    this.cutOffs = new CutOffs(positive("partCutOffBytes", bytes), cutOffs.inPlace());
    return self();
  }

  /**
   * Sets from how many bytes on memory of the application's is pinned to be sent from where it is,
   * on links that pin; what is shorter is copied into memory that is pinned already. Default:
   * measured for each device.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public B pinCutOffBytes(long bytes) {
    this.cutOffs = new CutOffs(cutOffs.beside(), positive("pinCutOffBytes", bytes));
    return self();
  }

  private static long positive(String setting, long bytes) {
    if (bytes < 1) {
      throw new IllegalArgumentException(setting + " is at least 1, not " + bytes);
    }
    return bytes;
  }

  /**
   * Sets how long an idle event loop looks for work before it waits in the kernel; zero: not at
   * all. About a round trip saves a wake-up per call, where a core can be spared. Default: while
   * sessions have upgraded to RDMA and work is not away for more than half a millisecond, twice as
   * long as it lately was; else not at all.
   */
  public B spin(Duration spin) {
    this.idling = Idling.spinning(spin);
    return self();
  }

  /**
   * Has event loops poll for ever: none waits in the kernel, arms a completion channel or needs to
   * be woken. Each takes a core of its own, for the shortest latency there is.
   */
  public B pollAlways() {
    this.idling = Idling.POLLING;
    return self();
  }

  /**
   * Sets how long opening a connection may take, with the TLS handshake. An upgrade may take it
   * twice: for the server's answer, and for connecting by it. Default: 5 s.
   *
   * @throws IllegalArgumentException if it is less than 1 ms or more than a day
   */
  public B connectTimeout(Duration timeout) {
    if (timeout.toMillis() < 1 || timeout.compareTo(Duration.ofDays(1)) > 0) {
      throw new IllegalArgumentException("connectTimeout is 1 ms to a day, not " + timeout);
    }
    this.connectTimeout = timeout;
    return self();
  }

  /** Encrypts every connection, and refuses those that are not. */
  public B tls(TlsOptions tls) {
    this.tls = Objects.requireNonNull(tls);
    return self();
  }

  /** Sets which path calls may take. Default: RDMA where both ends have it, TCP where not. */
  public B path(PathPolicy policy) {
    this.policy = Objects.requireNonNull(policy);
    return self();
  }

  /**
   * Lets a session leave TLS for RDMA, which is neither encrypted nor authenticated per packet.
   * Both ends must allow it.
   */
  public B allowPlaintextRdma() {
    this.allowPlaintextRdma = true;
    return self();
  }

  /** Sets what makes the links that sessions upgrade to. Default: what is on the class path. */
  public B upgrades(UpgradeProvider provider) {
    this.upgrades = Objects.requireNonNull(provider);
    return self();
  }

  /** Has everything run on a loop that the caller steps itself, for tests and simulations. */
  public B steppedBy(EventLoop loop) {
    this.steppedLoop = Objects.requireNonNull(loop);
    return self();
  }

  final Engine engine(String name) {
    return new Engine(
        new Engine.EngineOptions(
            name,
            limits,
            handlers,
            slotMemoryBytes,
            maxAssemblyBytes,
            bulkMemoryBytes,
            cutOffs,
            standing,
            idling,
            steppedLoop));
  }

  final LinkOptions linkOptions() {
    return new LinkOptions(Engine.EngineOptions.MAX_FRAME_BYTES, connectTimeout, tls);
  }

  final UpgradeOptions upgradeOptions() {
    UpgradeProvider provider = upgrades;
    if (provider == null && steppedLoop == null) {
      provider = LinkProviders.upgrade();
    }
    return new UpgradeOptions(policy, allowPlaintextRdma, provider);
  }
}
