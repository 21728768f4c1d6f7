package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.api.bulk.ObjectRef;
import io.verbena.codec.WireDecoder;
import io.verbena.codec.WireEncoder;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.link.BulkPort;
import io.verbena.link.BulkRegion;
import io.verbena.link.Link;
import io.verbena.link.LinkDriver;
import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.MemoryLife;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import io.verbena.testkit.RawPeer;
import java.lang.foreign.MemorySegment;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Consumer;

/** An attacker's end of a session that moves objects. */
final class RawSession extends RawPeer {
  /** The grants, in order. */
  final List<Told> granted = new ArrayList<>();

  /** Memory that is open to this end, since a transfer was granted it. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Told(long number, byte[] advertisement) {}

  private int sequence;

  @Override
  public void onFrame(ByteBuffer buffer, int from, int to) {
    super.onFrame(buffer, from, to);
    int kind = FrameHeader.kindCode(FrameHeader.first(buffer, from));
    WireDecoder body = new WireDecoder();
    body.start(buffer, from + FrameHeader.BYTES, to, 16);
    long number = FrameHeader.callId(FrameHeader.third(buffer, from));
    if (kind == FrameKind.BULK_GRANT.code()) {
      body.readVarInt(); // its generation
      body.readVarLong(); // where it begins
      body.readVarLong(); // its length
      body.readInt();
      granted.add(new Told(number, body.readBytes()));
    }
  }

  BulkPort port() {
    return Objects.requireNonNull(Objects.requireNonNull(link).bulk());
  }

  RemoteTarget target(Told told) throws LinkException {
    return port().remote(ByteBuffer.wrap(told.advertisement));
  }

  /** Writes bytes there, and has the owner hear of it. */
  void write(RemoteTarget target, long at, MemorySegment bytes) throws LinkException {
    BulkRegion region = port().attach(bytes, MemoryLife.HELD);
    int length = (int) bytes.byteSize();
    assertThat(port().write(target, at, region, 0, length, true, () -> {}))
        .isEqualTo(SendResult.SENT);
    Objects.requireNonNull(link).flush();
  }

  void say(FrameKind kind, long transfer, Consumer<WireEncoder> body) {
    send(frame(kind, kind.sequenced() ? ++sequence : 0, transfer, body));
  }

  void fetch(long transfer, ObjectRef object, long offset, long length) {
    fetch(transfer, object, offset, length, false);
  }

  void fetch(long transfer, ObjectRef object, long offset, long length, boolean checked) {
    say(
        FrameKind.BULK_FETCH,
        transfer,
        out -> {
          out.writeLong(object.id());
          out.writeLong(object.key());
          out.writeVarLong(offset);
          out.writeVarLong(length);
          out.writeByte(checked ? 1 : 0);
        });
  }

  void offer(long transfer, long length) {
    say(
        FrameKind.BULK_OFFER,
        transfer,
        out -> {
          out.writeVarLong(length);
          out.writeByte(0);
          out.writeString("it");
        });
  }

  void cancel(long transfer) {
    say(
        FrameKind.BULK_CANCEL,
        transfer,
        out -> {
          out.writeByte(1);
          out.writeString("");
        });
  }

  void grant(long transfer, int generation, long offset, long length, byte[] advertisement) {
    say(
        FrameKind.BULK_GRANT,
        transfer,
        out -> {
          out.writeVarInt(generation);
          out.writeVarLong(offset);
          out.writeVarLong(length);
          out.writeInt(1);
          out.writeBytes(advertisement);
        });
  }

  /** Opens memory of its own for so many bytes of a transfer, from their beginning on. */
  void grantFirst(long transfer, MemorySegment memory) throws LinkException {
    grantAt(transfer, 0, memory);
  }

  /** Opens memory of its own for so many bytes of a transfer, from an offset on. */
  void grantAt(long transfer, long offset, MemorySegment memory) throws LinkException {
    BulkRegion region = port().attach(memory, MemoryLife.HELD);
    long length = memory.byteSize();
    byte[] advertisement = port().open(region, 0, length, upTo -> {}).advertisement();
    grant(transfer, 1, offset, length, advertisement);
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
    return open(bulk, attacker, RawPeer::sayHello);
  }

  /** Opens a session with this greeting. */
  static RawSession open(BulkWorld bulk, LinkDriver attacker, Consumer<RawSession> greeting) {
    RawSession raw = new RawSession();
    attacker.connect(
        URI.create(bulk.world.address()),
        LinkOptions.of(64 * 1024, Duration.ofSeconds(5), null),
        raw);
    settle(bulk, attacker);
    greeting.accept(raw);
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
