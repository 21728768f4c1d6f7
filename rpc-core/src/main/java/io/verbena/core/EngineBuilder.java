package io.verbena.core;

import io.verbena.api.ClientInterceptor;
import io.verbena.api.ServerInterceptor;
import io.verbena.api.SessionListener;
import io.verbena.api.settings.Checks;
import io.verbena.core.bulk.BulkContext;
import io.verbena.core.bulk.stat.CutOffs;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.FileThreads;
import io.verbena.core.loop.Idling;
import io.verbena.core.loop.Workers;
import io.verbena.core.session.UpgradeOptions;
import io.verbena.core.upgrade.ChosenUpgrades;
import io.verbena.link.LinkOptions;
import io.verbena.link.TlsOptions;
import io.verbena.link.UpgradeProvider;
import io.verbena.link.memory.Memory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The settings that clients and servers share. For one thread. */
public abstract sealed class EngineBuilder<B extends EngineBuilder<B>>
    permits VerbenaClient.Builder, VerbenaServer.Builder {
  private static final int MOST_LOOPS = 1024;

  /**
   * The default is no higher, because each loop may pin its own memory, and shared state costs more
   * with each loop.
   */
  private static final int MOST_LOOPS_UNASKED = 8;

  /** No message is compressed. */
  static final int NEVER = 0;

  private Duration connectTimeout = Duration.ofSeconds(5);
  private @Nullable TlsOptions tls;
  private PathPolicy policy = PathPolicy.PREFER_RDMA;
  private boolean allowPlaintextRdma;
  private @Nullable List<UpgradeProvider> upgrades;

  // The settings that the engine reads.
  SessionLimits limits = SessionLimits.DEFAULT;
  Executor handlers = task -> Thread.ofVirtual().name("verbena-handler").start(task);
  final Map<Memory, Long> memory = new EnumMap<>(Memory.class);
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

  EngineBuilder() {
    for (Memory kind : Memory.values()) {
      memory.put(kind, kind.usualBytes());
    }
  }

  abstract B self();

  /** Sets the limits of each session. */
  public B limits(SessionLimits limits) {
    this.limits = Checks.required("limits", limits);
    return self();
  }

  /**
   * Sets the executor for user code that may block: handlers and their {@code onCancel} actions,
   * push handlers, consumers of chunks, and generators. Verbena does none of its own work on it.
   * Default: a new virtual thread for each call. {@link SessionLimits#maxCalls} limits the calls of
   * each session.
   *
   * <p>The executor may have few threads. If it rejects a call, that call alone fails, with
   * RESOURCE_EXHAUSTED, NOT_EXECUTED. The executor must not run tasks on the calling thread, as
   * {@code CallerRunsPolicy} does, because that thread is an event loop.
   */
  public B handlers(Executor handlers) {
    this.handlers = Checks.required("handlers", handlers);
    return self();
  }

  /**
   * Sets the memory for messages in flight, in bytes. It is allocated when needed and kept. Less
   * than 1 MiB counts as 1 MiB. Default: 32 MiB.
   *
   * @throws IllegalArgumentException if it is less than 1 or more than 16 GiB
   */
  public B slotMemoryBytes(long bytes) {
    return bytes(Memory.SLOTS, bytes);
  }

  /**
   * Sets the memory for arriving long messages and large arrays, in bytes, for all sessions
   * together. Half of it is shared first come, first served; the other half is guaranteed to all
   * sessions in equal parts. One session has at most five eighths. A message that makes no progress
   * for 5 s while others need its memory is ended. Default: a quarter of the heap, at least 64 MiB.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public B maxAssemblyBytes(long bytes) {
    return bytes(Memory.ASSEMBLY, bytes);
  }

  /**
   * Sets the memory for results that are longer than a slot and not yet received by the peer, in
   * bytes, for all sessions together. Half of it is shared first come, first served; the other half
   * is guaranteed to all sessions in equal parts. When a session has used its part, further calls
   * of methods with such long results wait. One handler at a time always runs. A result that is
   * longer than earlier ones waits on its handler's thread while the peer receives earlier results,
   * and fails with RESOURCE_EXHAUSTED after 10 s in which the peer receives none. Default: a
   * quarter of the heap.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public B maxReplyBytes(long bytes) {
    return bytes(Memory.REPLIES, bytes);
  }

  /**
   * Sets the memory for large objects, in bytes, for all sessions together. {@code Landing.pooled}
   * uses it, and so do the transfers of files, consumers and generators. It is outside the heap and
   * allocated when needed. Default: 512 MiB.
   *
   * @throws IllegalArgumentException if it is less than 1 MiB, the piece in which files are read
   *     and written
   */
  public B bulkMemoryBytes(long bytes) {
    return bytes(Memory.BULK, bytes);
  }

  /**
   * Sets the length in bytes from which a {@code byte[]}, {@code ByteBuffer} or {@code
   * MemorySegment} in a call travels as bulk bytes beside its message. Default: measured for each
   * session; {@code ./verbena stat} shows it.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public B largeValueBytes(long bytes) {
    this.cutOffs = new CutOffs(positive("largeValueBytes", bytes), cutOffs.inPlace());
    return self();
  }

  /**
   * Sets the length in bytes from which the application's memory is pinned and sent without a copy,
   * on links that pin. Shorter memory is copied into memory that is pinned already. Default:
   * measured for each device.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public B pinCutOffBytes(long bytes) {
    this.cutOffs = new CutOffs(cutOffs.beside(), positive("pinCutOffBytes", bytes));
    return self();
  }

  /**
   * Sets the length in bytes from which an object makes its session use further adapters, if both
   * ends have them. The session then opens a link over each adapter and keeps it. Objects are split
   * into pieces of an eighth of this length, at most 1 MiB. The client's setting applies to new
   * links, the receiver's to pieces. Default: 8 MiB.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public B railCutOffBytes(long bytes) {
    this.railCutOffBytes = positive("railCutOffBytes", bytes);
    return self();
  }

  /**
   * Compresses messages of calls from this length in bytes, if the peer sets this too and
   * compression makes them shorter. It needs {@code io.verbena:compression-lz4} on the class path;
   * otherwise the client or server cannot be made. Over TLS, do not compress messages that contain
   * both a secret and text that a stranger chooses. Default: no compression.
   *
   * @throws IllegalArgumentException if it is less than 1
   */
  public B compressFromBytes(int bytes) {
    this.compressFromBytes = Checks.between("compressFromBytes", bytes, 1, Integer.MAX_VALUE);
    return self();
  }

  private B bytes(Memory kind, long bytes) {
    memory.put(kind, kind.checked(bytes));
    return self();
  }

  long bytes(Memory kind) {
    return Objects.requireNonNull(memory.get(kind));
  }

  private static long positive(String setting, long bytes) {
    return Checks.between(setting, bytes, 1, Long.MAX_VALUE);
  }

  /**
   * Sets the number of event loops for each kind of link. Each loop has its own thread. A session
   * stays on one loop, and a new session goes to the loop with the fewest. A server has all loops
   * from the start, a client at most one for each session. More loops serve more sessions; they do
   * not make one session faster. Over RDMA each loop has its own completion queue and registered
   * buffers. Default: the number of processors, at most 8.
   *
   * @throws IllegalArgumentException if it is less than 1 or more than 1,024
   */
  public B loops(int loops) {
    this.loops = Checks.between("loops", loops, 1, MOST_LOOPS);
    return self();
  }

  /**
   * Sets the time for which an idle event loop polls before it waits in the kernel; zero for no
   * polling. About the time of a round trip saves a wake-up for each call, if a core is free for
   * it. Default: no polling, except while sessions use RDMA and the gaps between work are at most
   * half a millisecond. The loop then polls for twice the recent gap.
   *
   * @throws IllegalArgumentException if it is negative
   */
  public B spin(Duration spin) {
    this.idling = Idling.spinning(Checks.atLeast("spin", spin, Duration.ZERO, "0"));
    return self();
  }

  /**
   * Makes event loops poll for ever. No loop waits in the kernel, arms a completion channel or
   * needs a wake-up. This gives the lowest latency, and each loop occupies a core.
   */
  public B pollAlways() {
    this.idling = Idling.POLLING;
    return self();
  }

  /**
   * Sets the longest time for opening a session: connection, TLS handshake and greeting. An upgrade
   * may take this time twice, once for the server's answer and once for connecting. Default: 5 s.
   *
   * @throws IllegalArgumentException if it is less than 1 ms or more than a day
   */
  public B connectTimeout(Duration timeout) {
    this.connectTimeout =
        Checks.between(
            "connectTimeout", timeout, Duration.ofMillis(1), Duration.ofDays(1), "1 ms to a day");
    return self();
  }

  /** Encrypts every connection, and refuses connections without encryption. */
  public B tls(TlsOptions tls) {
    this.tls = Checks.required("tls", tls);
    return self();
  }

  /**
   * Sets the paths that calls may take. Default: RDMA or shared memory if both ends have it, else
   * TCP.
   */
  public B path(PathPolicy policy) {
    this.policy = Checks.required("path", policy);
    return self();
  }

  /**
   * Allows a session with TLS to upgrade to RDMA or shared memory. Packets of RDMA are neither
   * encrypted nor authenticated. Processes of the same user, and of root, can read shared memory.
   * Both ends must allow it.
   */
  public B allowPlaintextRdma() {
    this.allowPlaintextRdma = true;
    return self();
  }

  /**
   * Sets the providers of links for upgrades, in the order in which they are tried. Default: the
   * providers on the class path by priority, or the one that the system property {@code
   * verbena.upgrade} names. With {@link PathPolicy#REQUIRE_RDMA} the default is RDMA alone. If a
   * provider throws, sessions stay on TCP, and their path gives the reason.
   */
  public B upgrades(UpgradeProvider... providers) {
    this.upgrades = List.of(Checks.required("upgrades", providers));
    return self();
  }

  /**
   * Adds a listener for the events of all sessions, such as opened, lost, resumed and ended.
   * Several listeners may be added.
   */
  public B sessionListener(SessionListener listener) {
    listeners.add(Checks.required("sessionListener", listener));
    return self();
  }

  /**
   * Adds an interceptor for every call that this end makes. Calls pass the interceptors in the
   * order of adding, and then those of the stub's {@link io.verbena.api.CallOptions}.
   */
  public B clientInterceptor(ClientInterceptor interceptor) {
    ofCalls.add(Checks.required("clientInterceptor", interceptor));
    return self();
  }

  /**
   * Adds an interceptor for every call that this end serves. Calls pass the interceptors in the
   * order of adding.
   */
  public B serverInterceptor(ServerInterceptor interceptor) {
    ofHandlers.add(Checks.required("serverInterceptor", interceptor));
    return self();
  }

  /**
   * Runs everything on loops and executors of the caller, so that no other thread is started. The
   * caller steps the loops, as tests do. A server spreads its sessions over them and listens on the
   * first.
   *
   * @param loops at least one
   * @param elsewhere runs the engine's own work that would hold up a loop, such as files, checksums
   *     and copies, and calls authenticators
   * @param waiting runs work that waits for room, and work that the users' executor rejects. It
   *     must accept every task and must not make one wait for another, such as {@code
   *     Thread::startVirtualThread}
   */
  public B steppedBy(List<EventLoop> loops, Executor elsewhere, Executor waiting) {
    this.steppedLoops = List.copyOf(Checks.required("steppedBy", loops));
    Checks.between("steppedBy", steppedLoops.size(), 1, MOST_LOOPS);
    Checks.required("steppedBy", elsewhere);
    Checks.required("steppedBy", waiting);
    this.workers =
        new Workers(elsewhere, FileThreads.of(elsewhere), elsewhere, elsewhere, elsewhere, waiting);
    return self();
  }

  final Engine engine(String name) {
    return new Engine(name, this);
  }

  final LinkOptions linkOptions() {
    return LinkOptions.of(Engine.MAX_FRAME_BYTES, connectTimeout, tls);
  }

  final UpgradeOptions upgradeOptions() {
    List<UpgradeProvider> providers = upgrades;
    if (providers == null) {
      providers = steppedLoops.isEmpty() ? ChosenUpgrades.onClassPath(policy) : List.of();
    }
    return new UpgradeOptions(policy, allowPlaintextRdma, providers);
  }
}
