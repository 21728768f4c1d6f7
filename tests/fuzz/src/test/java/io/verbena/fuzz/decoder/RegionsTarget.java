package io.verbena.fuzz.decoder;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallOptions;
import io.verbena.api.RpcException;
import io.verbena.api.Session;
import io.verbena.api.region.ExposedRegion;
import io.verbena.api.region.RegionRef;
import io.verbena.api.region.Regions;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.Schema;
import io.verbena.api.stub.ServiceBinding;
import io.verbena.api.stub.ServiceCaller;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.api.wire.WireOut;
import io.verbena.core.VerbenaServer;
import io.verbena.fuzz.Meter;
import io.verbena.fuzz.Target;
import io.verbena.fuzz.contract.Arboretum;
import io.verbena.fuzz.contract.ArboretumRpc;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.SteppedWorld;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;

/**
 * A peer that asks for memory that the server exposes, and answers where the server asks for its
 * own, as the input says. Whatever that is, nothing is written beside the memory, what the server
 * does ends, others are served behind it, and nothing is kept.
 *
 * <pre>
 *   what: below | length, 1 byte | bytes
 *
 *   ASK     which method and whether of the region, 1 byte: its id and key go before the others
 *   ANSWER  what the server's next question is answered with
 *   REACH   what the server does with the peer's memory, 1 byte
 *   CLOSE   the server closes the region
 *   PASS    time passes
 * </pre>
 */
public final class RegionsTarget implements Target {
  private static final int ASK = 0;
  private static final int ANSWER = 1;
  private static final int REACH = 2;
  private static final int CLOSE = 3;
  private static final int PASS = 4;
  private static final int WHATS = 5;
  private static final int ALL = Regions.READ | Regions.WRITE | Regions.ATOMIC;

  private static final int BYTES = 4096;
  private static final byte BESIDE = 0x3c;
  private static final String NAME = "verbena.regions";

  /** In the order of their numbers, from 1 on. */
  private static final List<MethodDescriptor<Void>> METHODS =
      List.of(
          method(1, "get"),
          method(2, "put"),
          method(3, "compareAndExchange"),
          method(4, "getAndAdd"),
          method(5, "attach"));

  private static final ServiceDescriptor<RegionsTarget> REGIONS =
      new ServiceDescriptor<>(
          RegionsTarget.class,
          NAME,
          new Schema(
              NAME,
              List.of(
                  described(1, "get", "values", "pieces", "ranges"),
                  described(2, "put", "void", "pieces", "writes"),
                  described(
                      3,
                      "compareAndExchange",
                      "long",
                      "offset",
                      "long",
                      "expected",
                      "long",
                      "value",
                      "long"),
                  described(4, "getAndAdd", "long", "offset", "long", "delta", "long"),
                  described(5, "attach", "attached")),
              List.of()),
          List.copyOf(METHODS),
          caller -> {
            throw new UnsupportedOperationException();
          });

  private final Renewed<Yard> renewed = new Renewed<>(Yard::new, yard -> yard.world.close());

  private static MethodDescriptor<Void> method(int id, String name) {
    return new MethodDescriptor<>(NAME, id, name, false, false, true, 0, in -> null, null);
  }

  private static Schema.Method described(int id, String name, String result, String... more) {
    List<Schema.Member> parameters = new ArrayList<>();
    parameters.add(new Schema.Member("id", "long", false));
    parameters.add(new Schema.Member("key", "long", false));
    for (int i = 0; i < more.length; i += 2) {
      parameters.add(new Schema.Member(more[i], more[i + 1], false));
    }
    return new Schema.Method(id, name, false, parameters, result, List.of());
  }

  /** A server whose sessions expose memory; made anew now and then. */
  private static final class Yard implements Arboretum {
    final SteppedWorld world =
        new SteppedWorld(
            ServerTarget.LIMITS, InMemoryNetwork.DEFAULT_RING_FRAMES, ServerTarget.CHUNK);
    final MemorySegment around = Arena.ofAuto().allocate(3 * BYTES, 8);
    final List<Session> sessions = new ArrayList<>();
    final VerbenaServer server =
        world.server(s -> s.serve(ArboretumRpc.bind(this)).onSession(sessions::add));

    @Override
    public Flow.Publisher<Leaf> fall(int leaves) {
      return Flow.Subscriber::onComplete;
    }

    @Override
    public void rake(Flow.Publisher<Leaf> leaves) {}
  }

  @Override
  public void take(byte[] input, Meter meter) {
    renewed.take(yard -> attack(yard, input, meter));
  }

  private void attack(Yard yard, byte[] input, Meter meter) {
    SteppedWorld world = yard.world;
    yard.sessions.clear();
    yard.around.fill(BESIDE);
    Session session = opened(world);
    Session owner = yard.sessions.getFirst();
    ExposedRegion exposed =
        owner.regions().expose(yard.around.asSlice(BYTES, BYTES), ALL, Duration.ofHours(1));
    Peer peer = new Peer(session, owner, exposed, world);
    world.settle();
    meter.start();
    Bytes.records(
        input,
        (what, bytes) -> {
          peer.does(what % WHATS, bytes);
          world.settle();
        });
    meter.stop();
    opened(world).close();
    session.close();
    world.settle();
    world.passIdle(Duration.ofSeconds(1), () -> {});
    world.settle();
    assertThat(exposed.ended()).as("the region ends with its peer").isDone();
    for (long at = 0; at < BYTES; at++) {
      assertThat(yard.around.get(JAVA_BYTE, at)).as("before it, at %d", at).isEqualTo(BESIDE);
      assertThat(yard.around.get(JAVA_BYTE, 2 * BYTES + at)).as("behind it").isEqualTo(BESIDE);
    }
    peer.reached.forEach(RegionsTarget::hasEnded);
    ServerTarget.nothingIsKept(yard.server.bulkStats());
    assertThat(yard.server.slotsInUse()).as("slots").isZero();
    Logged.assertNone();
  }

  private static void hasEnded(CompletableFuture<?> one) {
    assertThat(one).as("what the server does ends").isDone();
    if (one.isCompletedExceptionally()) {
      assertThat(one.exceptionNow()).isInstanceOf(RpcException.class);
    }
  }

  /** Returns a session that is served. */
  private static Session opened(SteppedWorld world) {
    Session session = world.client().session(world.address());
    CompletableFuture<?> call = ArboretumRpc.async(session).fall(1).toCompletableFuture();
    world.runUntil(call::isDone);
    return session;
  }

  /** The end that does as the input says, by calls as any. */
  private static final class Peer {
    private final SteppedWorld world;
    private final Session owner;
    private final ExposedRegion exposed;
    private final ServiceCaller regions;
    private final ArrayDeque<byte[]> answers = new ArrayDeque<>();
    private final List<CompletableFuture<?>> reached = new ArrayList<>();

    Peer(Session session, Session owner, ExposedRegion exposed, SteppedWorld world) {
      this.world = world;
      this.owner = owner;
      this.exposed = exposed;
      this.regions = session.caller(REGIONS, CallOptions.DEFAULT);
      session.serve(
          new ServiceBinding(
              REGIONS,
              (method, in, call) ->
                  call.handle(
                      reply -> {
                        byte[] answer = answers.poll();
                        raw(reply.result(), answer == null ? new byte[8] : answer, 0);
                      })));
    }

    void does(int what, byte[] bytes) {
      int first = bytes.length == 0 ? 0 : bytes[0] & 0xff;
      switch (what) {
        case ASK -> ask(first, bytes);
        case ANSWER -> answers.add(bytes);
        case REACH -> reach(first);
        case CLOSE -> exposed.close();
        default -> world.passIdle(Duration.ofSeconds(first), () -> {});
      }
    }

    private void ask(int which, byte[] bytes) {
      boolean ofRegion = which / METHODS.size() % 4 > 0;
      var _ =
          regions.submit(
              METHODS.get(which % METHODS.size()),
              out -> {
                if (ofRegion) {
                  out.writeVarLong(exposed.ref().id());
                  out.writeLong(exposed.ref().key());
                }
                raw(out, bytes, 1);
              });
    }

    private void reach(int how) {
      RegionRef ref = new RegionRef(1 + how % 2, how, BYTES, ALL);
      Regions mine = owner.regions();
      MemorySegment some = MemorySegment.ofArray(new byte[how]);
      reached.add(
          switch (how % 4) {
            case 0 -> mine.get(ref, how, some);
            case 1 -> mine.put(ref, how, some);
            case 2 -> mine.compareAndSet(ref, 8L * how, 0, how);
            default -> mine.getAndAdd(ref, 8L * how, how);
          });
    }
  }

  private static void raw(WireOut out, byte[] bytes, int from) {
    for (int i = from; i < bytes.length; i++) {
      out.writeByte(bytes[i]);
    }
  }

  @Override
  public List<byte[]> seeds() {
    byte[] value = {1, 2, 3, 4, 5, 6, 7, 8};
    return List.of(
        new Maker().get(0, 8).get(4088, 8).get(4089, 8).get(-1, 8).get(0, -1).done(),
        new Maker().put(0, value).put(4092, value).put(Long.MAX_VALUE, value).done(),
        new Maker().atomic(3, 8, 0, 7).atomic(4, 8, 1, 0).atomic(4, 4, 1, 0).done(),
        new Maker().atomic(3, 4096, 0, 7).atomic(4, -8, 1, 0).ask(5, new byte[0]).done(),
        new Maker().get(0, 1 << 20).of(ASK, 5, 127).of(ASK, 6, 127).of(ASK, 0, 1).done(),
        new Maker().get(0, 8).of(CLOSE).get(0, 8).atomic(4, 8, 1, 0).ask(5, new byte[0]).done(),
        new Maker().of(ANSWER, 1, 4, 1, 2, 3, 4).of(REACH, 4).of(REACH, 5).of(PASS, 1).done(),
        new Maker().of(ANSWER, 0, 0, 0, 0, 0, 0, 0, 0).of(REACH, 6).of(REACH, 7).done(),
        new Maker().of(ANSWER, 2, 1, 1, 1, 1).of(REACH, 8).of(ANSWER).of(REACH, 12).done());
  }

  /** Makes inputs, of what real peers say. */
  private static final class Maker {
    /** With id and key. */
    private static final int NAMED = METHODS.size();

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    Maker of(int what, int... bytes) {
      out.write(what);
      out.write(bytes.length);
      for (int one : bytes) {
        out.write(one);
      }
      return this;
    }

    Maker ask(int method, byte[] bytes) {
      byte[] named = Bytes.with(NAMED + method - 1, bytes);
      out.write(ASK);
      out.write(named.length);
      out.writeBytes(named);
      return this;
    }

    Maker get(long offset, int length) {
      return ask(
          1,
          Bytes.encode(
              out -> {
                out.writeCount(1);
                out.writeVarLong(offset);
                out.writeVarInt(length);
              }));
    }

    Maker put(long offset, byte[] value) {
      return ask(
          2,
          Bytes.encode(
              out -> {
                out.writeCount(1);
                out.writeVarLong(offset);
                out.writeSegment(MemorySegment.ofArray(value));
              }));
    }

    Maker atomic(int method, long offset, long first, long second) {
      return ask(
          method,
          Bytes.encode(
              out -> {
                out.writeVarLong(offset);
                out.writeLong(first);
                out.writeLong(second);
              }));
    }

    byte[] done() {
      return out.toByteArray();
    }
  }

  /** A session's, and what a call costs for each few bytes, of which each may ask for a page. */
  @Override
  public long mostBytes(int inputLength) {
    return 2_000_000 + 20_000L * inputLength;
  }
}
