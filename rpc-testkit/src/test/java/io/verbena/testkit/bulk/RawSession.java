package io.verbena.testkit.bulk;

import io.verbena.api.bulk.ObjectRef;
import io.verbena.core.codec.WireDecoder;
import io.verbena.core.codec.WireEncoder;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.Hello;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.frame.SessionKey;
import io.verbena.core.link.Link;
import io.verbena.core.link.LinkDriver;
import io.verbena.core.link.LinkException;
import io.verbena.core.link.LinkListener;
import io.verbena.core.link.LinkOptions;
import io.verbena.core.memory.Slot;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An attacker's end of a session: says whatever a test has it say. */
final class RawSession implements LinkListener, LinkDriver.ConnectHandler {
  @Nullable Link link;
  @Nullable String closed;
  final List<FrameKind> heard = new ArrayList<>();

  /** The landings that stand, in the order in which they were told. */
  final List<Told> standing = new ArrayList<>();

  /** A landing that stands open to this end. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Told(long number, byte[] advertisement) {}

  private int sequence;

  @Override
  public LinkListener onConnected(Link link) {
    this.link = link;
    return this;
  }

  @Override
  public void onFailed(LinkException failure) {
    closed = failure.getMessage();
  }

  @Override
  public void onFrame(ByteBuffer buffer, int from, int to) {
    FrameKind kind = FrameKind.ofCode(FrameHeader.kindCode(buffer, from));
    if (kind != null) {
      heard.add(kind);
    }
    if (kind == FrameKind.BULK_STANDING) {
      WireDecoder body = new WireDecoder();
      body.start(buffer, from + FrameHeader.BYTES, to, 16);
      body.readInt(); // the link's number
      standing.add(new Told(FrameHeader.callId(buffer, from), body.readBytes()));
    }
  }

  @Override
  public void onWritable() {}

  @Override
  public void onClosed(String reason) {
    closed = reason;
  }

  void say(FrameKind kind, long transfer, Consumer<WireEncoder> body) {
    send(frame(kind, kind.sequenced() ? ++sequence : 0, transfer, body));
  }

  void send(byte[] frame) {
    Slot slot = Slot.unpooled(frame.length);
    slot.buffer().put(0, frame);
    slot.length(frame.length);
    Link open = link;
    if (open != null && closed == null) {
      open.send(slot);
      open.flush();
    }
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

  /** Opens a session as any client would. */
  static RawSession open(BulkWorld bulk, LinkDriver attacker) {
    RawSession raw = new RawSession();
    attacker.connect(
        URI.create(bulk.world.address()),
        new LinkOptions(64 * 1024, Duration.ofSeconds(5), null),
        raw);
    settle(bulk, attacker);
    Hello hello =
        new Hello(
            1, 1, 0, SessionKey.NONE, 0, 0, new PeerLimits(1 << 20, 65536, 64), "", List.of());
    raw.send(frame(FrameKind.HELLO, 0, 0, hello::write));
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

  static byte[] frame(FrameKind kind, long sequence, long transfer, Consumer<WireEncoder> body) {
    ByteBuffer memory = ByteBuffer.allocate(4096);
    WireEncoder out = new WireEncoder();
    out.start(memory, FrameHeader.BYTES, 4000, 16);
    body.accept(out);
    FrameHeader.write(memory, kind, 0, transfer);
    FrameHeader.number(memory, sequence);
    FrameHeader.stamp(memory, 1, 0);
    byte[] bytes = new byte[FrameHeader.BYTES + out.length()];
    memory.get(0, bytes);
    return bytes;
  }
}
