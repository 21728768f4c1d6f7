package io.verbena.core;

import io.verbena.api.ClientInterceptor;
import io.verbena.api.ServerInterceptor;
import io.verbena.api.SessionListener;
import io.verbena.api.settings.Checks;
import io.verbena.core.bulk.BulkContext;
import io.verbena.core.bulk.BulkMemory;
import io.verbena.core.bulk.stat.CutOffs;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Idling;
import io.verbena.core.loop.Workers;
import io.verbena.core.session.UpgradeOptions;
import io.verbena.core.upgrade.ChosenUpgrades;
import io.verbena.link.LinkOptions;
import io.verbena.link.TlsOptions;
import io.verbena.link.UpgradeProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The settings that a client and a server share. */
public abstract sealed class EngineBuilder<B extends EngineBuilder<B>>
    permits VerbenaClient.Builder, VerbenaServer.Builder {
  /** For more of them, the list of those that are free alone takes 50 MB. */
  private static final long MOST_SLOT_MEMORY_BYTES = 16L << 30;

  private static final int MOST_LOOPS = 1024;

  /** Each may pin memory of its own, and what they share grows dearer with their number. */
  private static final int MOST_LOOPS_UNASKED = 8;

  /** 32 MiB: 4,096 small messages on their way, as many as four full windows. */
  private static final long DEFAULT_SLOT_MEMORY_BYTES = 32L << 20;

  /** 512 MiB: a hundred files on their way, or two objects of 256 MiB in pooled memory. */
  private static final long DEFAULT_BULK_MEMORY_BYTES = 512L << 20;

  /** No message is compressed. */
  static final int NEVER = 0;

  private Duration connectTimeout = Duration.ofSeconds(5);
  private @Nullable TlsOptions tls;
  private PathPolicy policy = PathPolicy.PREFER_RDMA;
  private boolean allowPlaintextRdma;
  private @Nullable List<UpgradeProvider> upgrades;

  // What the engine reads.
  SessionLimits limits = SessionLimits.DEFAULT;
  Executor handlers = task -> Thread.ofVirtual().name("verbena-handler").start(task);
  long slotMemoryBytes = DEFAULT_SLOT_MEMORY_BYTES;
  long maxAssemblyBytes = Math.max(64L << 20, quarterOfHeap());
  long maxReplyBytes = quarterOfHeap();
  long bulkMemoryBytes = DEFAULT_BULK_MEMORY_BYTES;
  CutOffs cutOffs = new CutOffs(CutOffs.MEASURED, CutOffs.MEASURED);
  long railCutOffBytes = BulkContext.RAILS_FROM_BYTES;
  int compressFromBytes = NEVER;
  Idling idling = Idling.ADAPTIVE;
  int loops = Math.min(Runtime.getRuntime().availableProcessors(), MOST_LOOPS_UNASKED);
  List<EventLoop> steppedLoops = List.of();
  @Nullable Workers workers;
  final List<SessionListener> listeners = new ArrayList<>();
  final List<ClientInterceptor> ofCalls = new ArrayList<>();
  final List<ServerInterceptor> ofHandlers = new ArrayList<>();

  EngineBuilder() {}

  abstract B self();

  /** Sets what each session allows. */
  public B limits(SessionLimits limits) {
    this.limits = Checks.required("limits", limits);
    return self();
  }

  /**
   * Sets where users' code runs that may block: handlers and their {@code onCancel} actions, push
   * handlers, consumers of chunks, generators. Nothing else does: no work of Verbena's waits for
   * it. Default: a new virtual thread for each call. {@link SessionLimits#maxCalls} bounds how many
   * each session has.
   *
   * <p>It may have as few threads as it likes. A call that it rejects fails with
   * RESOURCE_EXHAUSTED, NOT_EXECUTED, and harms no other. It must not run what it is given on the
   * calling thread, as {@code CallerRunsPolicy} does: that is an event loop.
   */
  public B handlers(Executor handlers) {
    this.handlers = Checks.required("handlers", handlers);
    return self();
  }

  /**
   * Sets the memory for messages on their way, in bytes; allocated as needed, kept. Less than 1 MiB
   * counts as 1 MiB. Default: 32 MiB.
   *
   * @throws IllegalArgumentException if it is less than 1 or more than 16 GiB
   */
  public B slotMemoryBytes(long bytes) {
    this.slotMemoryBytes = Checks.between("slotMemoryBytes", bytes, 1, MOST_SLOT_MEMORY_BYTES);
    return self();
  }

  /**
   * Sets the memory for long messages and large arrays while they arrive, in bytes, all sessions
   * together. One session has at most five eighths of it: half is for whoever comes first, the
   * other half is guaranteed to all sessions in equal parts. What comes to nothing for 5 s while
   * others want its memory is ended. Default: a quarter of the heap, at least 64 MiB.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public B maxAssemblyBytes(long bytes) {
    this.maxAssemblyBytes = positive("maxAssemblyBytes", bytes);
    return self();
  }

  /**
   * Sets the memory for results that are longer than a slot and that peers have yet to take, in
   * bytes, all sessions together; half is for whoever comes first, the other half is guaranteed to
   * all sessions in equal parts. A session that has used up its part has its peer's further calls
   * wait, of methods whose results are so long: one handler at a time always runs. Default: a
   * quarter of the heap.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public B maxReplyBytes(long bytes) {
    this.maxReplyBytes = positive("maxReplyBytes", bytes);
    return self();
  }

  /**
   * Sets the memory for large objects, in bytes, all sessions together: where they land in {@code
   * Landing.pooled}, and what files, consumers and generators pass through. Outside the heap;
   * allocated as needed. Default: 512 MiB.
   *
   * @throws IllegalArgumentException if it is less than 1 MiB, the piece that files pass through in
   */
  public B bulkMemoryBytes(long bytes) {
    this.bulkMemoryBytes =
        Checks.between("bulkMemoryBytes", bytes, BulkMemory.CHUNK_BYTES, Long.MAX_VALUE);
    return self();
  }

  /**
   * Sets from how many bytes on a {@code byte[]}, {@code ByteBuffer} or {@code MemorySegment} in a
   * call travels as bulk, beside its message. Default: measured for each session; {@code ./verbena
   * stat} shows it.
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

  /**
   * Sets from how many bytes on an object has its session take further adapters, where both ends
   * have them: a link over each is made then, and kept. Objects are cut into pieces of an eighth of
   * that, 1 MiB at most. The client's setting counts for new links, the receiver's for pieces.
   * Default: 8 MiB.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public B railCutOffBytes(long bytes) {
    this.railCutOffBytes = positive("railCutOffBytes", bytes);
    return self();
  }

  /**
   * Has messages of calls compressed that are at least so long, where the peer sets this too and
   * they get shorter. Needs {@code io.verbena:compression-lz4} on the class path: without it the
   * client or server is not made. Over TLS, messages that hold both a secret and what a stranger
   * chooses are better not compressed. Default: no message is.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public B compressFromBytes(int bytes) {
    this.compressFromBytes = Checks.between("compressFromBytes", bytes, 1, Integer.MAX_VALUE);
    return self();
  }

  private static long quarterOfHeap() {
    return Runtime.getRuntime().maxMemory() / 4;
  }

  private static long positive(String setting, long bytes) {
    return Checks.between(setting, bytes, 1, Long.MAX_VALUE);
  }

  /**
   * Sets how many event loops there are for each kind of link, each with a thread of its own. A
   * session stays on one of them; new sessions go to the one that has the fewest. A server has all
   * of them from the start, a client as many as it has sessions. A session gets no faster by more
   * loops: they are for many. Over RDMA each has its own completion queue and registered buffers.
   * Default: as many as there are processors, at most 8.
   *
   * @throws IllegalArgumentException if it is less than 1 or more than 1,024
   */
  public B loops(int loops) {
    this.loops = Checks.between("loops", loops, 1, MOST_LOOPS);
    return self();
  }

  /**
   * Sets how long an idle event loop looks for work before it waits in the kernel; zero: not at
   * all. About a round trip saves a wake-up per call, where a core can be spared. Default: while
   * sessions have upgraded to RDMA and work is not away for more than half a millisecond, twice as
   * long as it lately was; else not at all.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public B spin(Duration spin) {
    this.idling = Idling.spinning(Checks.atLeast("spin", spin, Duration.ZERO, "0"));
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
   * Sets how long opening a session may take: its connection, the TLS handshake and the greeting.
   * An upgrade may take it twice: for the server's answer, and for connecting by it. Default: 5 s.
   *
   * @throws IllegalArgumentException if it is less than 1 ms or more than a day
   */
  public B connectTimeout(Duration timeout) {
    this.connectTimeout =
        Checks.between(
            "connectTimeout", timeout, Duration.ofMillis(1), Duration.ofDays(1), "1 ms to a day");
    return self();
  }

  /** Encrypts every connection, and refuses those that are not. */
  public B tls(TlsOptions tls) {
    this.tls = Checks.required("tls", tls);
    return self();
  }

  /**
   * Sets which path calls may take. Default: RDMA or shared memory where both ends have it, TCP
   * where not.
   */
  public B path(PathPolicy policy) {
    this.policy = Checks.required("path", policy);
    return self();
  }

  /**
   * Lets a session leave TLS for RDMA, which is neither encrypted nor authenticated per packet, or
   * for shared memory, which processes of the same user and of root can read. Both ends must allow
   * it.
   */
  public B allowPlaintextRdma() {
    this.allowPlaintextRdma = true;
    return self();
  }

  /**
   * Sets what makes the links that sessions upgrade to, in the order in which they are tried.
   * Default: what is on the class path, by priority, or the one that the system property {@code
   * verbena.upgrade} names; with {@link PathPolicy#REQUIRE_RDMA} RDMA alone. Whatever one throws
   * keeps sessions on TCP, and their path says it.
   */
  public B upgrades(UpgradeProvider... providers) {
    this.upgrades = List.of(Checks.required("upgrades", providers));
    return self();
  }

  /**
   * Has a listener told what becomes of every session: opened, lost, resumed, ended and more. May
   * be set several times; each is told.
   */
  public B sessionListener(SessionListener listener) {
    listeners.add(Checks.required("sessionListener", listener));
    return self();
  }

  /**
   * Has every call that this end makes pass an interceptor, of whatever stub. May be set several
   * times; the first one comes first, and those of a stub's {@link io.verbena.api.CallOptions}
   * behind them.
   */
  public B clientInterceptor(ClientInterceptor interceptor) {
    ofCalls.add(Checks.required("clientInterceptor", interceptor));
    return self();
  }

  /**
   * Has every call that this end serves pass an interceptor, of whatever service. May be set
   * several times; the first one comes first.
   */
  public B serverInterceptor(ServerInterceptor interceptor) {
    ofHandlers.add(Checks.required("serverInterceptor", interceptor));
    return self();
  }

  /** Has everything run on a loop that the caller steps itself, for tests and simulations. */
  public B steppedBy(EventLoop loop) {
    return steppedBy(loop, loop.executor());
  }

  /**
   * Has everything run on a loop that the caller steps itself, and what would hold it up elsewhere.
   *
   * @param elsewhere does the engine's own work: files, checksums, copies; and asks users' code who
   *     may call
   */
  public B steppedBy(EventLoop loop, Executor elsewhere) {
    return steppedBy(List.of(Checks.required("steppedBy", loop)), elsewhere);
  }

  /**
   * Has everything run on loops that the caller steps itself, and what would hold them up
   * elsewhere. A server's sessions are spread over them; it listens by the first.
   *
   * @param loops at least one
   * @param elsewhere as above
   */
  public B steppedBy(List<EventLoop> loops, Executor elsewhere) {
    return steppedBy(loops, elsewhere, Workers::waitInBackground);
  }

  /**
   * The same, where nothing has a thread that the caller does not know of.
   *
   * @param waiting does what waits for room, or what the users' executor takes not; refuses nothing
   */
  public B steppedBy(List<EventLoop> loops, Executor elsewhere, Executor waiting) {
    this.steppedLoops = List.copyOf(Checks.required("steppedBy", loops));
    Checks.between("steppedBy", steppedLoops.size(), 1, MOST_LOOPS);
    Checks.required("steppedBy", elsewhere);
    Checks.required("steppedBy", waiting);
    this.workers = new Workers(elsewhere, elsewhere, elsewhere, elsewhere, elsewhere, waiting);
    return self();
  }

  final Engine engine(String name) {
    return new Engine(name, this);
  }

  final LinkOptions linkOptions() {
    return new LinkOptions(Engine.MAX_FRAME_BYTES, connectTimeout, tls);
  }

  final UpgradeOptions upgradeOptions() {
    List<UpgradeProvider> providers = upgrades;
    if (providers == null) {
      providers = steppedLoops.isEmpty() ? ChosenUpgrades.onClassPath(policy) : List.of();
    }
    return new UpgradeOptions(policy, allowPlaintextRdma, providers);
  }
}
