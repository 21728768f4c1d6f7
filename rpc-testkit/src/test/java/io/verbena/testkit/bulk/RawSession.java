package io.verbena.testkit.bulk;

import io.verbena.api.bulk.ObjectRef;
import io.verbena.core.codec.WireDecoder;
import io.verbena.core.codec.WireEncoder;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.link.Link;
import io.verbena.core.link.LinkDriver;
import io.verbena.core.link.LinkOptions;
import io.verbena.testkit.RawPeer;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

/** An attacker's end of a session that moves objects. */
final class RawSession extends RawPeer {
  /** The landings that stand, in the order in which they were told. */
  final List<Told> standing = new ArrayList<>();

  /** A landing that stands open to this end. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Told(long number, byte[] advertisement) {}

  private int sequence;

  @Override
  public void onFrame(ByteBuffer buffer, int from, int to) {
    super.onFrame(buffer, from, to);
    if (FrameHeader.kindCode(FrameHeader.first(buffer, from)) == FrameKind.BULK_STANDING.code()) {
      WireDecoder body = new WireDecoder();
      body.start(buffer, from + FrameHeader.BYTES, to, 16);
      body.readInt(); // the link's number
      standing.add(new Told(FrameHeader.callId(buffer, from), body.readBytes()));
    }
  }

  void say(FrameKind kind, long transfer, Consumer<WireEncoder> body) {
    send(frame(kind, kind.sequenced() ? ++sequence : 0, transfer, body));
  }

  void fetch(long transfer, ObjectRef object, long offset, long length) {
    say(
        FrameKind.BULK_FETCH,
        transfer,
        out -> {
          out.writeLong(object.id());
          out.writeLong(object.key());
          out.writeVarLong(offset);
          out.writeVarLong(length);
          out.writeByte(0);
        });
  }

  void grant(long transfer, int generation, long offset, long length, int advertised) {
    say(
        FrameKind.BULK_GRANT,
        transfer,
        out -> {
          out.writeVarInt(generation);
          out.writeVarLong(offset);
          out.writeVarLong(length);
          out.writeInt(1);
          out.writeBytes(new byte[advertised]);
        });
  }

  /** Sends frames of which up to two bytes are others. */
  void sendChanged(List<byte[]> frames, Random random) {
    for (byte[] frame : frames) {
      for (int changes = random.nextInt(3); changes > 0; changes--) {
        frame[random.nextInt(frame.length)] = (byte) random.nextInt();
      }
      send(frame);
    }
  }

  /** Closes the link if it is open still. */
  void leave() {
    Link open = link;
    if (open != null && closed == null) {
      open.close();
    }
  }

  /** Opens a session as any client would. */
  static RawSession open(BulkWorld bulk, LinkDriver attacker) {
    RawSession raw = new RawSession();
    attacker.connect(
        URI.create(bulk.world.address()),
        new LinkOptions(64 * 1024, Duration.ofSeconds(5), null),
        raw);
    settle(bulk, attacker);
    raw.sayHello();
    settle(bulk, attacker);
    raw.heard.clear();
    return raw;
  }

  /** Steps both ends until little is left to do. */
  static void settle(BulkWorld bulk, LinkDriver attacker) {
    for (int i = 0; i < 4; i++) {
      attacker.poll();
      bulk.world.settle();
    }
  }
}
