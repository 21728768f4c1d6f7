package io.verbena.fuzz.decoder;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.Session;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Source;
import io.verbena.api.bulk.Transfer;
import io.verbena.api.stub.Schema;
import io.verbena.api.wire.WireOut;
import io.verbena.codec.SchemaWire;
import io.verbena.core.VerbenaClient;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.OfferedService;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.frame.SessionKey;
import io.verbena.core.frame.Welcome;
import io.verbena.fuzz.Meter;
import io.verbena.fuzz.Target;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.mem.InMemoryNetwork;
import io.verbena.testkit.RawPeer;
import io.verbena.testkit.SteppedWorld;
import io.verbena.testkit.contract.Herbarium;
import io.verbena.testkit.contract.HerbariumEcho;
import io.verbena.testkit.contract.HerbariumRpc;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A server that says whatever the input has it say, to a whole client with calls and transfers
 * under way. Each of them ends, nothing is thrown on the client's loop, and when the server is gone
 * nothing is kept of it. The input's first byte says whether the server's contract is another, and
 * whether it welcomes the client at all.
 */
public final class ClientTarget implements Target {
  private static final Schema SCHEMA = HerbariumRpc.SERVICE.schema();
  private static final int SERVICE = OfferedService.id("herbarium.v1");
  private static final int OTHER_CONTRACT = 1;
  private static final int NO_WELCOME = 2;

  private final Renewed<Ends> renewed = new Renewed<>(Ends::new, ends -> ends.world.close());

  /** A client, and a server that says what it is told to; made anew now and then. */
  private static final class Ends {
    final SteppedWorld world =
        new SteppedWorld(
            ServerTarget.LIMITS, InMemoryNetwork.DEFAULT_RING_FRAMES, ServerTarget.CHUNK);
    final VerbenaClient client =
        world.client(c -> c.bulkMemoryBytes(1 << 20).largeValueBytes(ServerTarget.CHUNK));
  }

  @Override
  public void take(byte[] input, Meter meter) throws LinkException {
    renewed.take(ends -> attack(ends, input, meter));
  }

  private void attack(Ends ends, byte[] input, Meter meter) throws LinkException {
    int first = input.length == 0 ? 0 : input[0];
    SteppedWorld world = ends.world;
    LinkDriver attacker = world.network().newDriver(() -> {});
    RawPeer raw = new RawPeer();
    attacker.listen(URI.create(world.address()), ServerTarget.LINK, raw::onConnected);
    Session session = ends.client.session(world.address());
    session.objects().onPush(new ServerTarget.Taking());
    session.serve(HerbariumRpc.bind(new HerbariumEcho()));
    List<CompletableFuture<?>> underWay = callsAndTransfers(session);
    ServerTarget.step(world, attacker);
    if ((first & NO_WELCOME) == 0) {
      raw.send(RawPeer.frame(FrameKind.WELCOME, 0, 0, welcome(first)::write));
      ServerTarget.step(world, attacker);
    }
    meter.start();
    ServerTarget.attack(world, attacker, raw, new Script(input, 1));
    meter.stop();
    attacker.close();
    for (int i = 0; i < 25; i++) {
      world.passIdle(Duration.ofSeconds(1), () -> {});
      world.settle();
    }
    assertThat(underWay).allSatisfy(one -> assertThat(one).isDone());
    session.close();
    world.settle();
    ServerTarget.nothingIsKept(ends.client.bulkStats());
    Logged.assertNone();
  }

  private static List<CompletableFuture<?>> callsAndTransfers(Session session) {
    HerbariumRpc.Async calls = HerbariumRpc.async(session);
    List<CompletableFuture<?>> underWay = new ArrayList<>();
    underWay.add(calls.name("rue").toCompletableFuture());
    underWay.add(calls.plant(Herbarium.Moss.PEAT).toCompletableFuture());
    underWay.add(calls.scan(new byte[6000]).toCompletableFuture());
    underWay.add(calls.taxon(new Herbarium.Taxon<>("a", List.of())).toCompletableFuture());
    calls.note("to be forgotten", Optional.empty());
    Transfer fetch = session.objects().fetch(new ObjectRef(5, 6, 7000), Landing.pooled(8000));
    Transfer push = session.objects().push("leaf", Source.of(new byte[5000]));
    underWay.add(fetch.result().toCompletableFuture());
    underWay.add(push.result().toCompletableFuture());
    return underWay;
  }

  private static Welcome welcome(int first) {
    long hash = SCHEMA.hash() + (first & OTHER_CONTRACT);
    return new Welcome(
        1,
        0,
        new SessionKey(1, 2, 3),
        0,
        new PeerLimits(1 << 20, 1 << 16, 64),
        List.of(
            new OfferedService(
                "herbarium.v1", hash, 0, OfferedService.of(HerbariumRpc.SERVICE, 0).methods())));
  }

  @Override
  public List<byte[]> seeds() {
    byte[] moss = {3, 1, 1};
    return List.of(
        new Script.Maker(0)
            .frame(
                FrameKind.RESULT,
                1,
                out -> {
                  out.writeBoolean(true);
                  out.writeString("rue");
                })
            .frame(
                FrameKind.DECLARED_ERROR,
                2,
                out -> {
                  out.writeVarInt(0);
                  out.writeString("Wilted");
                  out.writeString("no water");
                  int mark = out.beginRecord();
                  out.writeBoolean(true);
                  out.writeString("no water");
                  for (byte one : moss) {
                    out.writeByte(one);
                  }
                  out.endRecord(mark);
                })
            .withMetadata(
                FrameKind.FAILURE,
                4,
                out -> {
                  out.writeByte(3);
                  out.writeByte(1);
                  out.writeString("java.lang.Error");
                  out.writeString("oh");
                })
            .frame(
                FrameKind.ONEWAY_DONE,
                0,
                out -> {
                  out.writeVarInt(1);
                  out.writeVarInt(0);
                })
            .done(),
        new Script.Maker(OTHER_CONTRACT)
            .frame(FrameKind.SCHEMA, 0, this::schema)
            .frame(FrameKind.SERVICES, 0, out -> OfferedService.writeAll(out, List.of()))
            .done(),
        new Script.Maker(0)
            .frame(FrameKind.BULK_OFFER, 24, out -> ServerTarget.offer(out, 5_000))
            .frame(FrameKind.BULK_GRANT, 16, out -> ServerTarget.grant(out, 1, 0, 5_000))
            .frame(FrameKind.BULK_SENT, 8, out -> out.writeInt(0))
            .frame(FrameKind.BULK_CANCEL, 16, ServerTarget::cancel)
            .done(),
        new Script.Maker(0)
            .frame(FrameKind.UPGRADE_DECLINED, 0, out -> out.writeInt(1))
            .frame(FrameKind.UPGRADE_OFFER, 0, out -> out.writeInt(1))
            .frame(FrameKind.DRAINING, 0, out -> out.writeString("bye"))
            .frame(FrameKind.GOODBYE, 0, out -> {})
            .done(),
        new Script.Maker(NO_WELCOME).frame(FrameKind.REFUSED, 0, this::refusal).done());
  }

  private void schema(WireOut out) {
    out.writeInt(SERVICE);
    out.writeBoolean(true);
    SchemaWire.write(out, SCHEMA);
  }

  private void refusal(WireOut out) {
    out.writeByte(2);
    out.writeBoolean(true);
    out.writeBoolean(false);
    out.writeString("go away");
  }

  /** As for a server; a contract that does not fit is told in words. */
  @Override
  public long mostBytes(int inputLength) {
    return 8_000_000 + 4_000L * inputLength;
  }
}
