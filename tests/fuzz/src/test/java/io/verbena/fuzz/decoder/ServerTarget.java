package io.verbena.fuzz.decoder;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.PushHandler;
import io.verbena.api.bulk.Source;
import io.verbena.api.wire.WireOut;
import io.verbena.core.SessionLimits;
import io.verbena.core.VerbenaServer;
import io.verbena.core.bulk.stat.BulkStats;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.OfferedService;
import io.verbena.fuzz.Meter;
import io.verbena.fuzz.Target;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkOptions;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.RawPeer;
import io.verbena.testkit.SteppedWorld;
import io.verbena.testkit.contract.HerbariumEcho;
import io.verbena.testkit.contract.HerbariumRpc;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A client that says whatever the input has it say, to a whole server. It may lose its session, and
 * that is all: nothing is thrown on the server's loop, another client is served behind it, and when
 * it is gone nothing is kept of it.
 */
public final class ServerTarget implements Target {
  static final SessionLimits LIMITS = SessionLimits.DEFAULT.withMaxMessageBytes(64 << 10);
  static final int CHUNK = 4096;
  static final LinkOptions LINK = LinkOptions.of(64 << 10, Duration.ofSeconds(5), null);

  private static final int SERVICE = OfferedService.id("herbarium.v1");

  private final Renewed<Grounds> renewed =
      new Renewed<>(Grounds::new, grounds -> grounds.world.close());

  /** A server with an object. */
  private static final class Grounds {
    final SteppedWorld world = new SteppedWorld(LIMITS, InMemoryNetwork.DEFAULT_RING_FRAMES, CHUNK);
    final VerbenaServer server = server(world);
    final ObjectRef published = publish(server);
  }

  private static ObjectRef publish(VerbenaServer server) {
    return server.publish(Source.of(new byte[20_000]), Duration.ofDays(1)).ref();
  }

  private static VerbenaServer server(SteppedWorld world) {
    return world.server(
        s ->
            s.serve(HerbariumRpc.bind(new HerbariumEcho()))
                .bulkMemoryBytes(1 << 20)
                .largeValueBytes(CHUNK)
                .onSession(session -> session.objects().onPush(new Taking())));
  }

  /** Takes whatever is pushed into memory. */
  static final class Taking implements PushHandler {
    @Override
    public Landing offered(Offer offer) {
      return Landing.pooled(64 << 10);
    }
  }

  @Override
  public void take(byte[] input, Meter meter) {
    renewed.take(grounds -> attack(grounds, input, meter));
  }

  private static void attack(Grounds grounds, byte[] input, Meter meter) {
    SteppedWorld world = grounds.world;
    LinkDriver attacker = world.network().newDriver(() -> {});
    RawPeer raw = new RawPeer();
    attacker.connect(URI.create(world.address()), LINK, raw);
    step(world, attacker);
    boolean greets = input.length == 0 || input[0] >= 0;
    if (greets) {
      raw.sayHello();
      step(world, attacker);
    }
    meter.start();
    attack(world, attacker, raw, new Script(input, 1));
    meter.stop();
    othersAreServed(world);
    attacker.close();
    for (int i = 0; i < 12; i++) {
      world.passIdle(Duration.ofSeconds(1), () -> {});
      world.settle();
    }
    nothingIsKept(grounds.server.bulkStats());
    Logged.assertNone();
  }

  static void attack(SteppedWorld world, LinkDriver attacker, RawPeer raw, Script script) {
    Script.Step step;
    while ((step = script.next()) != null && raw.closed == null) {
      raw.send(step.bytes());
      if (step.passesTime()) {
        world.passIdle(Duration.ofMillis(300), () -> {});
      }
      if (step.steps()) {
        step(world, attacker);
      }
    }
    step(world, attacker);
  }

  static void step(SteppedWorld world, LinkDriver attacker) {
    for (int i = 0; i < 3; i++) {
      attacker.poll();
      world.settle();
    }
  }

  private static void othersAreServed(SteppedWorld world) {
    Session session = world.client().session(world.address());
    HerbariumRpc.Async honest = HerbariumRpc.async(session);
    CompletableFuture<String> answer = honest.name("verbena").toCompletableFuture();
    world.settle();
    assertThat(answer).isCompletedWithValue("verbena");
    session.close();
  }

  static void nothingIsKept(BulkStats stats) {
    assertThat(stats.sending()).as("sending").isZero();
    assertThat(stats.receiving()).as("receiving").isZero();
    assertThat(stats.quarantined()).as("quarantined").isZero();
    assertThat(stats.memoryInUse()).as("memory in use, %s", stats).isZero();
  }

  @Override
  public List<byte[]> seeds() {
    byte[] name = Bytes.encode(out -> out.writeString("rue"));
    ObjectRef published = renewed.world().published;
    return List.of(
        new Script.Maker(0)
            .frame(FrameKind.REQUEST, 1, out -> request(out, 10, name))
            .frame(FrameKind.ONEWAY, 2, out -> request(out, 12, name))
            .withMetadata(FrameKind.REQUEST, 6, out -> request(out, 10, name))
            .frame(FrameKind.CANCEL, 3, out -> {})
            .frame(FrameKind.PING, 0, out -> {})
            .frame(FrameKind.SCHEMA_REQUEST, 0, out -> out.writeInt(SERVICE))
            .frame(
                FrameKind.SERVICES,
                0,
                out ->
                    OfferedService.writeAll(
                        out, List.of(new OfferedService("a", 1, 0, List.of(1)))))
            .frame(FrameKind.UPGRADE_REQUEST, 0, out -> out.writeInt(1))
            .frame(FrameKind.DRAINING, 0, out -> out.writeString("bye"))
            .frame(FrameKind.LAST_CALL, 0, out -> {})
            .frame(FrameKind.GOODBYE, 0, out -> {})
            .done(),
        new Script.Maker(0)
            .frame(
                FrameKind.REQUEST,
                Script.FIRST_FRAGMENT,
                4,
                out -> {
                  out.writeInt(0);
                  out.writeShort(place(9));
                  out.writeInt(300);
                  raw(out, 200);
                })
            .frame(FrameKind.FRAGMENT, Script.STEP | Script.TIME, 0, out -> raw(out, 91))
            .done(),
        new Script.Maker(0)
            .frame(FrameKind.BULK_FETCH, 9, out -> fetch(out, published, 20_000))
            .frame(FrameKind.BULK_GRANT, 9, out -> grant(out, 1, 0, 20_000))
            .frame(FrameKind.BULK_PROGRESS, 9, out -> out.writeVarLong(10))
            .frame(FrameKind.BULK_CANCEL, 9, out -> cancel(out))
            .done(),
        new Script.Maker(0)
            .frame(FrameKind.BULK_OFFER, 16, out -> offer(out, 5_000))
            .frame(FrameKind.BULK_RESUMED, 16, out -> out.writeVarLong(0))
            .frame(FrameKind.BULK_SENT, 16, out -> out.writeInt(0))
            .frame(FrameKind.BULK_DONE, 16, out -> {})
            .done(),
        new Script.Maker(0)
            .frame(
                FrameKind.REQUEST,
                Script.PARTS | Script.STEP,
                5,
                out -> {
                  out.writeInt(0);
                  out.writeShort(place(9));
                  out.writeVarInt(-1);
                  out.writeVarInt(0);
                  out.writeCount(1);
                  out.writeVarLong((9_000L << 1) | 1);
                  out.writeInt(4);
                })
            .done());
  }

  private static void request(WireOut out, int method, byte[] arguments) {
    out.writeInt(0); // no time left, unless the fuzzer says so
    out.writeShort(place(method));
    for (byte one : arguments) {
      out.writeByte(one);
    }
  }

  private static int place(int method) {
    return OfferedService.of(HerbariumRpc.SERVICE, 0).methods().indexOf(method);
  }

  private static void raw(WireOut out, int bytes) {
    for (int i = 0; i < bytes; i++) {
      out.writeByte(i);
    }
  }

  static void fetch(WireOut out, ObjectRef ref, long length) {
    out.writeLong(ref.id());
    out.writeLong(ref.key());
    out.writeVarLong(0);
    out.writeVarLong(length);
    out.writeByte(0);
  }

  static void grant(WireOut out, int generation, long offset, long length) {
    out.writeVarInt(generation);
    out.writeVarLong(offset);
    out.writeVarLong(length);
    out.writeInt(1);
    out.writeBytes(new byte[24]);
  }

  static void offer(WireOut out, long length) {
    out.writeVarLong(length);
    out.writeByte(0);
    out.writeString("leaf");
  }

  static void cancel(WireOut out) {
    out.writeByte(RpcStatus.CANCELLED.code());
    out.writeString("changed its mind");
  }

  /**
   * What a session may take by itself, and for each byte a frame of nothing costs: header, logs.
   */
  @Override
  public long mostBytes(int inputLength) {
    return 4_000_000 + 4_000L * inputLength;
  }
}
