package io.verbena.core.region;

import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.region.ExposedRegion;
import io.verbena.api.region.RegionRef;
import io.verbena.api.region.Regions;
import io.verbena.api.settings.Checks;
import io.verbena.api.stub.IncomingCall;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.Reply;
import io.verbena.api.stub.ResultReader;
import io.verbena.api.stub.Schema;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.api.wire.WireException;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import io.verbena.core.bulk.BulkPath;
import io.verbena.core.call.ServerCall;
import io.verbena.core.contract.OwnService;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.session.Participant;
import io.verbena.core.session.SessionImpl;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The regions that one end of a session exposes to the other, and the service for the other end's
 * requests. This end's loop serves one request after the other. Safe for use by any thread.
 *
 * <pre>
 *   peer ── get, put, compareAndExchange, getAndAdd {id, key, …} ──→ loop: rights and range checked
 *        ── attach {id, key} ──→ opened to requests of the peer's own device, for get and put
 * </pre>
 */
public final class ExposedRegions implements Participant {
  private static final String NAME = OwnService.REGIONS;
  private static final int READ = 1;
  private static final int WRITE = 2;
  private static final int EXCHANGE = 3;
  private static final int ADD = 4;
  private static final int ATTACH = 5;

  /**
   * The most regions that are opened to the peer's device, because objects need room on the link,
   * too.
   */
  private static final int MOST_OPENED = 64;

  /** The shortest encoding of a piece. */
  private static final int PIECE_BYTES = 2;

  static final MethodDescriptor<List<MemorySegment>> GET =
      method(READ, "get", true, ExposedRegions::readValues);
  static final MethodDescriptor<Void> PUT = method(WRITE, "put", false, in -> null);
  static final MethodDescriptor<Long> COMPARE_AND_EXCHANGE =
      method(EXCHANGE, "compareAndExchange", false, WireIn::readLong);
  static final MethodDescriptor<Long> GET_AND_ADD =
      method(ADD, "getAndAdd", false, WireIn::readLong);

  /**
   * The data that a peer needs to reach a region from its own device.
   *
   * @param epoch the number of the link
   * @param access the allowed operations, as in a {@link RegionRef}
   * @param advertisement the link's description of the region
   */
  record Attached(int epoch, int access, ByteBuffer advertisement) {
    /** The answer for a region that the peer's device cannot reach. No link has this epoch. */
    static final Attached BY_NONE = new Attached(0, 0, ByteBuffer.allocate(0));
  }

  static final MethodDescriptor<Attached> REACH =
      method(
          ATTACH,
          "attach",
          true,
          in ->
              in.readBoolean()
                  ? new Attached(in.readInt(), in.readInt(), in.readBuffer())
                  : Attached.BY_NONE);

  static final ServiceDescriptor<ExposedRegions> SERVICE =
      new ServiceDescriptor<>(
          ExposedRegions.class,
          NAME,
          new Schema(
              NAME,
              List.of(
                  described(READ, "get", "values", "pieces", "ranges"),
                  described(WRITE, "put", "void", "pieces", "writes"),
                  described(
                      EXCHANGE, "compareAndExchange", "long", "expected", "long", "value", "long"),
                  described(ADD, "getAndAdd", "long", "delta", "long"),
                  described(ATTACH, "attach", "attached")),
              List.of()),
          List.of(GET, PUT, COMPARE_AND_EXCHANGE, GET_AND_ADD, REACH),
          caller -> {
            throw new UnsupportedOperationException(NAME + " has no stub");
          });

  private static final SecureRandom RANDOM = new SecureRandom();

  private final SessionImpl session;

  /** Each region until it has ended and its path is fenced. */
  private final Map<Long, Exposure> regions = new ConcurrentHashMap<>();

  private final AtomicLong lastId = new AtomicLong();

  /** Whether the peer is, or will be, told of the service. */
  private boolean served;

  public ExposedRegions(SessionImpl session) {
    this.session = session;
  }

  private static <R> MethodDescriptor<R> method(
      int id, String name, boolean idempotent, ResultReader<R> result) {
    return new MethodDescriptor<>(NAME, id, name, idempotent, false, true, 0, result, null);
  }

  private static Schema.Method described(int id, String name, String result, String... more) {
    List<Schema.Member> parameters = new ArrayList<>();
    parameters.add(new Schema.Member("id", "long", false));
    parameters.add(new Schema.Member("key", "long", false));
    boolean atomic = result.equals("long");
    if (atomic) {
      parameters.add(new Schema.Member("offset", "long", false));
    }
    for (int i = 0; i < more.length; i += 2) {
      parameters.add(new Schema.Member(more[i], more[i + 1], false));
    }
    return new Schema.Method(id, name, false, parameters, result, List.of());
  }

  private static List<MemorySegment> readValues(WireIn in) {
    int count = in.readCount(1);
    List<MemorySegment> values = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      values.add(in.readSegment());
    }
    return values;
  }

  ExposedRegion expose(MemorySegment memory, int access, Duration lease) {
    Checks.required("memory", memory);
    Checks.positive("lease", lease);
    Checks.that(
        access > 0 && (access & ~(Regions.READ | Regions.WRITE | Regions.ATOMIC)) == 0,
        "access",
        "some of READ, WRITE, ATOMIC",
        access);
    check(memory, access);
    serve();
    EventLoop loop = session.loop();
    RegionRef ref =
        new RegionRef(lastId.incrementAndGet(), RANDOM.nextLong(), memory.byteSize(), access);
    Exposure region = new Exposure(ref, memory, loop);
    regions.put(ref.id(), region);
    CompletableFuture<Void> _ =
        region.ended().whenComplete((end, lost) -> regions.remove(ref.id()));
    if (session.isEnded() || session.isClosing()) { // ended by another thread
      region.close();
      throw new IllegalStateException("the region cannot be exposed: the session has ended");
    }
    region.renew(lease);
    return region;
  }

  private static void check(MemorySegment memory, int access) {
    if (!memory.isNative()) {
      throw new IllegalArgumentException(
          "this memory is on the heap, where it may be moved: allocate it in an Arena");
    }
    MemorySegment _ = Checks.shared(memory, memory.scope());
    if (memory.isReadOnly() && access != Regions.READ) {
      throw new IllegalArgumentException("this memory is read-only: expose it with READ only");
    }
    if ((access & Regions.ATOMIC) != 0 && memory.address() % Long.BYTES != 0) {
      throw new IllegalArgumentException(
          "atomics need memory at a multiple of 8: use allocate(bytes, 8)");
    }
  }

  private synchronized void serve() {
    if (!served) {
      session.serve(new ServiceBinding(SERVICE, this::dispatch));
      served = true;
    }
  }

  @Override
  public void pathClosed(BulkPath path) {
    regions.values().forEach(region -> region.pathClosed(path));
  }

  /** Ends all regions. Their leases end with the peer. */
  @Override
  public void peerGone(RpcStatus status, String reason, boolean forGood) {
    regions.values().forEach(Exposure::close);
  }

  // ---- requests of the peer ----

  private void dispatch(MethodDescriptor<?> method, WireIn in, IncomingCall call) {
    long id = in.readVarLong();
    long key = in.readLong();
    switch (method.id()) {
      case READ -> get(id, key, in, call);
      case WRITE -> put(id, key, in, call);
      case ATTACH -> attach(id, key, (ServerCall) call);
      default -> {
        long offset = in.readVarLong();
        long first = in.readLong();
        long second = method.id() == EXCHANGE ? in.readLong() : 0;
        call.handle(
            reply -> {
              Exposure region = find(id, key);
              long before =
                  method.id() == EXCHANGE
                      ? region.compareAndExchange(offset, first, second)
                      : region.getAndAdd(offset, first);
              reply.result().writeLong(before);
            });
      }
    }
  }

  private void get(long id, long key, WireIn in, IncomingCall call) {
    int count = readCount(in);
    long[] offsets = new long[count];
    int[] lengths = new int[count];
    long left = Regions.MOST_BYTES;
    for (int i = 0; i < count; i++) {
      offsets[i] = in.readVarLong();
      lengths[i] = in.readVarInt();
      left = less(left, lengths[i]);
    }
    call.handle(reply -> find(id, key).read(offsets, lengths, reply.result()));
  }

  private void put(long id, long key, WireIn in, IncomingCall call) {
    int count = readCount(in);
    long[] offsets = new long[count];
    MemorySegment[] values = new MemorySegment[count];
    long left = Regions.MOST_BYTES;
    for (int i = 0; i < count; i++) {
      offsets[i] = in.readVarLong();
      values[i] = in.readSegment();
      left = less(left, values[i].byteSize());
    }
    call.handle(reply -> find(id, key).write(offsets, values));
  }

  /**
   * Answers once the region is open. The answer may use another link than the one that opens it.
   */
  private void attach(long id, long key, ServerCall call) {
    if (!session.loop().isOwner()) {
      throw new WireException("a request to open a region is too long");
    }
    Exposure region;
    try {
      region = find(id, key);
    } catch (RpcException e) {
      call.handle(
          reply -> {
            throw e;
          });
      return;
    }
    BulkPath path = reaching(session);
    boolean may =
        region.isOpened()
            || regions.values().stream().filter(Exposure::isOpened).count() < MOST_OPENED;
    if (path == null || !may) {
      call.handle(reply -> reply.result().writeBoolean(false));
      return;
    }
    call.awaitHandler();
    region.openBy(path, () -> call.handle(reply -> attached(region, path, reply)));
  }

  /** Answers. The region may have closed while the answer waited for room. */
  private static void attached(Exposure region, BulkPath path, Reply reply) {
    byte[] advertisement = region.openOn(path);
    WireOut out = reply.result();
    out.writeBoolean(advertisement != null);
    if (advertisement != null) {
      out.writeInt(path.epoch);
      out.writeInt(region.ref().access());
      out.writeBytes(advertisement);
    }
  }

  /**
   * Returns the path of the session's frames if its device reads and writes by itself; otherwise
   * null.
   */
  static @Nullable BulkPath reaching(SessionImpl session) {
    for (BulkPath path : session.bulkPaths()) {
      if (session.carriesFrames(path) && path.port.isOneSided()) {
        return path;
      }
    }
    return null;
  }

  private static int readCount(WireIn in) {
    int count = in.readCount(PIECE_BYTES);
    if (count > Regions.MOST_PIECES) {
      throw new WireException(count + " pieces at once, more than " + Regions.MOST_PIECES);
    }
    return count;
  }

  private static long less(long left, long length) {
    if (length < 0 || length > left) {
      throw new WireException(
          "pieces of more than %d bytes at once: the next one has %d"
              .formatted(Regions.MOST_BYTES, length));
    }
    return left - length;
  }

  private Exposure find(long id, long key) {
    Exposure found = regions.get(id);
    if (found == null || found.ref().key() != key || !found.isOpen()) {
      throw new RpcException(
              RpcStatus.UNAVAILABLE,
              "region "
                  + id
                  + " is not exposed in this session: it never was, or was closed, or its lease"
                  + " ended")
          .notExecuted();
    }
    return found.closeIfFreed();
  }
}
