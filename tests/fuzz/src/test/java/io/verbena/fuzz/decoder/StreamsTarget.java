package io.verbena.fuzz.decoder;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.CallOptions;
import io.verbena.api.Session;
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
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.Consumer;

/**
 * A peer that asks a server for items of its streams, and answers where the server asks, as the
 * input says. Whatever that is, others are served behind it, subscribers hear of the end of their
 * streams, publishers that they are cancelled, and nothing is kept of any.
 *
 * <pre>
 *   what: below | length, 1 byte | bytes
 *
 *   ASK     which stream, 1 byte: its number goes before the other bytes; none: they are all there is
 *   ANSWER  what the server's next question is answered with
 *   FALL    has the server send a stream of so many items
 *   RAKE    has the server take one
 *   PASS    time passes
 * </pre>
 */
public final class StreamsTarget implements Target {
  private static final int ASK = 0;
  private static final int ANSWER = 1;
  private static final int FALL = 2;
  private static final int RAKE = 3;
  private static final int PASS = 4;
  private static final int WHATS = 5;
  private static final int MOST_STREAMS = 8;

  private static final String NAME = "verbena.streams";
  private static final MethodDescriptor<Void> NEXT = method(NAME, 1, "next");
  private static final MethodDescriptor<Void> RAKED = method("arboretum.v1", 2, "rake");
  private static final MethodDescriptor<Long> FALLS =
      new MethodDescriptor<>(
          "arboretum.v1", 1, "fall", false, false, false, 0, in -> in.readVarLong(), null);
  private static final ServiceDescriptor<StreamsTarget> STREAMS =
      new ServiceDescriptor<>(
          StreamsTarget.class,
          NAME,
          new Schema(
              NAME,
              List.of(
                  new Schema.Method(
                      1,
                      "next",
                      false,
                      List.of(
                          new Schema.Member("id", "long", false),
                          new Schema.Member("most", "int", false)),
                      "items",
                      List.of())),
              List.of()),
          List.of(NEXT),
          caller -> {
            throw new UnsupportedOperationException();
          });

  private final Renewed<Garden> renewed =
      new Renewed<>(Garden::new, garden -> garden.world.close());

  private static MethodDescriptor<Void> method(String service, int id, String name) {
    return new MethodDescriptor<>(service, id, name, false, false, false, 0, in -> null, null);
  }

  /** A server with streams; made anew now and then. */
  private static final class Garden implements Arboretum {
    final SteppedWorld world =
        new SteppedWorld(
            ServerTarget.LIMITS, InMemoryNetwork.DEFAULT_RING_FRAMES, ServerTarget.CHUNK);
    final List<Leaves> falling = new ArrayList<>();
    final List<Rake> raking = new ArrayList<>();
    final VerbenaServer server = world.server(s -> s.serve(ArboretumRpc.bind(this)));

    @Override
    public Flow.Publisher<Leaf> fall(int leaves) {
      Leaves made = new Leaves(leaves);
      falling.add(made);
      return made;
    }

    @Override
    public void rake(Flow.Publisher<Leaf> leaves) {
      Rake made = new Rake();
      raking.add(made);
      leaves.subscribe(made);
    }
  }

  @Override
  public void take(byte[] input, Meter meter) {
    renewed.take(garden -> attack(garden, input, meter));
  }

  private void attack(Garden garden, byte[] input, Meter meter) {
    SteppedWorld world = garden.world;
    garden.falling.clear();
    garden.raking.clear();
    Session session = world.client().session(world.address());
    Peer peer = new Peer(session, world);
    world.settle();
    meter.start();
    Bytes.records(
        input,
        (what, bytes) -> {
          peer.does(what % WHATS, bytes);
          world.settle();
        });
    meter.stop();
    othersAreServed(world);
    session.close();
    world.settle();
    world.passIdle(Duration.ofSeconds(1), () -> {});
    world.settle();
    assertThat(garden.falling).allSatisfy(Leaves::hasEnded);
    assertThat(garden.raking).allSatisfy(Rake::hasEnded);
    assertThat(garden.server.streamsSent()).as("streams").isZero();
    ServerTarget.nothingIsKept(garden.server.bulkStats());
    assertThat(garden.server.slotsInUse()).as("slots").isZero();
    Logged.assertNone();
  }

  private static void othersAreServed(SteppedWorld world) {
    Session session = world.client().session(world.address());
    CompletableFuture<?> call = ArboretumRpc.async(session).fall(1).toCompletableFuture();
    world.runUntil(call::isDone);
    assertThat(call).isCompleted();
    session.close();
    world.settle();
  }

  /** The end that does as the input says, by calls as any. */
  private static final class Peer {
    private final SteppedWorld world;
    private final ServiceCaller arboretum;
    private final ServiceCaller streams;
    private final List<CompletableFuture<Long>> ids = new ArrayList<>();
    private final ArrayDeque<byte[]> answers = new ArrayDeque<>();
    private long raked;

    Peer(Session session, SteppedWorld world) {
      this.world = world;
      this.arboretum = session.caller(ArboretumRpc.SERVICE, CallOptions.DEFAULT);
      this.streams = session.caller(STREAMS, CallOptions.DEFAULT);
      session.serve(
          new ServiceBinding(
              STREAMS,
              (method, in, call) ->
                  call.handle(
                      reply -> {
                        byte[] answer = answers.poll();
                        raw(reply.result(), answer == null ? new byte[] {0, 1} : answer, 0);
                      })));
    }

    void does(int what, byte[] bytes) {
      int first = bytes.length == 0 ? 0 : bytes[0] & 0xff;
      switch (what) {
        case ASK -> ask(first, bytes);
        case ANSWER -> answers.add(bytes);
        case FALL -> {
          if (ids.size() < MOST_STREAMS) {
            ids.add(arboretum.submit(FALLS, out -> out.writeInt(first)).toCompletableFuture());
          }
        }
        case RAKE -> {
          var _ = arboretum.submit(RAKED, out -> out.writeVarLong(++raked));
        }
        default -> world.passIdle(Duration.ofSeconds(first), () -> {});
      }
    }

    private void ask(int which, byte[] bytes) {
      Long id = which < ids.size() ? ids.get(which).exceptionally(e -> 0L).getNow(0L) : null;
      var _ =
          streams.submit(
              NEXT,
              out -> {
                if (id != null) {
                  out.writeVarLong(id);
                }
                raw(out, bytes, 1);
              });
    }
  }

  private static void raw(WireOut out, byte[] bytes, int from) {
    for (int i = from; i < bytes.length; i++) {
      out.writeByte(bytes[i]);
    }
  }

  /** Sends what it is asked for, at once. */
  private static final class Leaves implements Flow.Publisher<Arboretum.Leaf>, Flow.Subscription {
    private final int leaves;
    private Flow.Subscriber<? super Arboretum.Leaf> to = new Rake();
    private boolean subscribed;
    private boolean ended;
    private int sent;

    Leaves(int leaves) {
      this.leaves = leaves;
    }

    @Override
    public void subscribe(Flow.Subscriber<? super Arboretum.Leaf> subscriber) {
      assertThat(subscribed).as("subscribed twice").isFalse();
      subscribed = true;
      to = subscriber;
      to.onSubscribe(this);
    }

    @Override
    public void request(long number) {
      assertThat(number).isBetween(1L, 64 * 256L);
      for (long i = 0; i < number && sent < leaves && !ended; i++) {
        to.onNext(new Arboretum.Leaf("leaf", List.of(++sent)));
      }
      if (sent == leaves && leaves > 0 && !ended) {
        ended = true;
        to.onComplete();
      }
    }

    @Override
    public void cancel() {
      ended = true;
    }

    static void hasEnded(Leaves one) {
      assertThat(one.ended || !one.subscribed).as("its publisher is told").isTrue();
    }
  }

  /** Takes three at a time. */
  private static final class Rake implements Flow.Subscriber<Arboretum.Leaf> {
    private static final int AT_A_TIME = 3;
    private Consumer<Integer> request = number -> {};
    private int requested;
    private int ends;

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      request = subscription::request;
      more();
    }

    private void more() {
      requested += AT_A_TIME;
      request.accept(AT_A_TIME);
    }

    @Override
    public void onNext(Arboretum.Leaf leaf) {
      assertThat(ends).as("nothing comes behind the end").isZero();
      assertThat(--requested).as("no more comes than is asked for").isNotNegative();
      if (requested == 0) {
        more();
      }
    }

    @Override
    public void onError(Throwable failure) {
      ends++;
    }

    @Override
    public void onComplete() {
      ends++;
    }

    static void hasEnded(Rake one) {
      assertThat(one.ends).as("its subscriber is told once").isEqualTo(1);
    }
  }

  @Override
  public List<byte[]> seeds() {
    return List.of(
        new Maker().of(FALL, 5).ask(0, 3).ask(0, 256).ask(0, 0).done(),
        new Maker().of(FALL, 0).ask(0, 1).ask(0, 2).ask(0, 0).of(PASS, 20).done(),
        new Maker().of(FALL, 200).ask(0, 256).ask(0, 257).ask(9, 1).done(),
        new Maker().answer(2, false).answer(1, false).answer(3, true).of(RAKE).of(PASS, 1).done(),
        new Maker().answer(4, false).of(RAKE).answer(0, false).of(RAKE).done());
  }

  /** Makes inputs, of what real peers say. */
  private static final class Maker {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    Maker of(int what, int... bytes) {
      out.write(what);
      out.write(bytes.length);
      for (int one : bytes) {
        out.write(one);
      }
      return this;
    }

    private Maker of(int what, byte[] bytes) {
      out.write(what);
      out.write(bytes.length);
      out.writeBytes(bytes);
      return this;
    }

    Maker ask(int which, int most) {
      return of(ASK, Bytes.with(which, Bytes.encode(out -> out.writeVarInt(most))));
    }

    Maker answer(int items, boolean last) {
      return of(
          ANSWER,
          Bytes.encode(
              out -> {
                for (int i = 0; i < items; i++) {
                  out.writeBoolean(true);
                  int mark = out.beginRecord();
                  out.writeString("oak");
                  out.writeCount(1);
                  out.writeInt(i);
                  out.endRecord(mark);
                }
                out.writeBoolean(false);
                out.writeBoolean(last);
              }));
    }

    byte[] done() {
      return out.toByteArray();
    }
  }

  /** A session's, and what a call costs for each few bytes. */
  @Override
  public long mostBytes(int inputLength) {
    return 1_000_000 + 10_000L * inputLength;
  }
}
