package io.verbena.grpc;

import io.grpc.Metadata;
import io.grpc.Status;
import io.verbena.api.RpcException;
import io.verbena.core.CarriedCalls;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The pieces of one stream, both ways. The window of the peer limits what this end sends, and what
 * this end has used is given back to the peer. Pieces are numbered, because a long one may arrive
 * after a shorter one that was sent later. On the loop.
 */
final class Pipe {
  /** The bytes by which a sender may exceed a window with its last piece. */
  static final int MOST_BEYOND = 2 << 20;

  /** Bytes are given back when they make up this part of the window. */
  private static final int PART = 4;

  final long id;
  private final Carrier carrier;
  private final Owner owner;

  private final ArrayDeque<Out> out = new ArrayDeque<>(1);
  private long window;

  /** The number of pieces that were sent. */
  int sent;

  private boolean waits;

  /** Whether further short frames wait for the end of the cycle, so that one message has many. */
  private boolean gathers;

  /** The bytes that wait for it. */
  private int gathered;

  /** Whether nothing is sent before the first credit. */
  private boolean held;

  private @Nullable Runnable whenSent;

  /** What came before its turn. */
  private final Map<Integer, Runnable> early = new HashMap<>(0);

  private int taken;

  private long received;
  private long given;
  private long used;

  /** The first bytes, which came with the call and do not count. */
  private long uncounted;

  private boolean closed;

  /** The stream. */
  interface Owner {
    /** Takes the next piece of the peer. */
    void piece(GrpcContract.Piece piece);

    /** Bytes of a frame have left. */
    void sent(int bytes);

    /** The peer does not keep to the rules, or a piece cannot be sent. */
    void broken(String why);

    /** A piece was sent and did not arrive. The stream may have ended meanwhile. */
    void lost(Status why);
  }

  private record Out(@Nullable Metadata headers, @Nullable Frame frame, boolean last) {
    int length() {
      return frame == null ? 0 : frame.readableBytes();
    }

    void free() {
      if (frame != null) {
        frame.free();
      }
    }
  }

  Pipe(Carrier carrier, long id, Owner owner) {
    this.carrier = carrier;
    this.id = id;
    this.owner = owner;
    this.window = carrier.streamWindow;
    carrier.add(this);
  }

  Owner owner() {
    return owner;
  }

  // ---- sending ----

  /** Holds all pieces back until the peer gives a credit, though it be of no bytes. */
  void hold() {
    held = true;
  }

  /**
   * Sends a piece, as soon as the peer has room. The first one in a cycle leaves at once, and short
   * ones after it leave together.
   */
  void send(@Nullable Metadata headers, @Nullable Frame frame, boolean last) {
    Out added = new Out(headers, frame, last);
    out.add(added);
    gathered += added.length();
    if (!waits && (!gathers || gathered >= Frame.MOST_IN_MESSAGE)) {
      goOn();
      if (!gathers) {
        gathers = true;
        carrier.atCycleEnd(this::gatheredAll);
      }
    }
  }

  private void gatheredAll() {
    gathers = false;
    if (!waits) {
      goOn();
    }
  }

  /** Runs an action when every piece has been sent. */
  void whenSent(Runnable action) {
    whenSent = action;
    if (!waits) {
      goOn();
    }
  }

  /** Sends what the windows and the session have room for. */
  void goOn() {
    waits = false;
    gathered = 0;
    if (held) {
      return;
    }
    while (!closed && !out.isEmpty()) {
      int first = out.getFirst().length();
      if (first > 0 && window <= 0) {
        return; // the next credit goes on
      }
      if ((first > 0 && !carrier.hasWindow()) || !sendNext()) {
        waits = true;
        carrier.await(this);
        return;
      }
    }
    Runnable action = whenSent;
    if (action != null && !closed) {
      whenSent = null;
      action.run();
    }
  }

  /** Sends what comes next as one piece. Returns false if there is no room for it now. */
  private boolean sendNext() {
    List<Out> next = takeNext();
    int length = 0;
    for (Out one : next) {
      length += one.length();
    }
    if (!send(next)) {
      if (!closed) {
        next.reversed().forEach(out::addFirst);
      }
      return false;
    }
    sent++;
    if (length > 0) {
      window -= length;
      carrier.window -= length;
      owner.sent(length);
    }
    return true;
  }

  /** Takes the next frames that fit one message, or the next long one. */
  private List<Out> takeNext() {
    List<Out> all = new ArrayList<>();
    int length = 0;
    do {
      Out next = out.remove();
      all.add(next);
      length += next.length();
    } while (!out.isEmpty()
        && out.getFirst().headers == null
        && length + out.getFirst().length() <= Frame.MOST_IN_MESSAGE);
    return all;
  }

  private boolean send(List<Out> frames) {
    Out first = frames.getFirst();
    boolean last = frames.getLast().last;
    if (first.frame != null && first.frame.isLong()) {
      carrier.push(id, sent, last, first.frame, owner::lost);
      return true;
    }
    List<ByteBuffer> parts = new ArrayList<>(frames.size());
    for (Out one : frames) {
      if (one.frame != null) {
        parts.add(one.frame.bytes());
      }
    }
    int flags = (last ? GrpcContract.LAST : 0) | (first.headers == null ? 0 : GrpcContract.HEADERS);
    boolean gone = false;
    try {
      gone =
          carrier.send(
              GrpcContract.PIECE,
              to -> {
                to.writeVarLong(id);
                to.writeVarInt(sent);
                to.writeByte(flags);
                if (first.headers != null) {
                  Block.write(to, first.headers);
                }
                CarriedCalls.copy(parts, to);
              });
    } catch (RpcException e) {
      owner.broken("a part of the stream cannot be sent: " + e.getMessage());
    }
    if (gone || closed) {
      frames.forEach(Out::free);
    }
    return gone;
  }

  /** The peer has used bytes of this stream. */
  void credited(long bytes) {
    held = false;
    window = Math.min(window + bytes, carrier.streamWindow);
    if (!waits) {
      goOn();
    }
  }

  // ---- receiving ----

  /** The first bytes came with the call itself. */
  void cameAlong(long bytes) {
    uncounted += bytes;
  }

  /** A piece has arrived. It is passed on in its turn. */
  void arrived(GrpcContract.Piece piece) {
    received += piece.bytes().readableBytes();
    if (received - used > GrpcContract.STREAM_WINDOW + (long) MOST_BEYOND) {
      owner.broken("the peer sent more bytes than the window allows");
      return;
    }
    inTurn(piece.sequence(), () -> owner.piece(piece));
  }

  /** Takes what has this place among the pieces of the peer, as soon as all before it are taken. */
  void inTurn(int place, Runnable taking) {
    if (place != taken) {
      if (place < taken || early.putIfAbsent(place, taking) != null) {
        owner.broken("the peer sent piece " + place + " twice");
      } else if (early.size() > GrpcContract.STREAM_WINDOW / 256) {
        owner.broken("the peer left out piece " + taken);
      }
      return;
    }
    Runnable next = taking;
    while (next != null && !closed) {
      taken++;
      next.run();
      next = early.remove(taken);
    }
  }

  /** Bytes of the stream have been read. */
  void used(int bytes) {
    long free = Math.min(bytes, uncounted);
    uncounted -= free;
    if (closed) {
      return;
    }
    used += bytes - free;
    carrier.used(bytes - free);
    if (used - given >= GrpcContract.STREAM_WINDOW / PART) {
      giveBack();
    }
  }

  /** Gives the bytes that have been used back to the peer. */
  void giveBack() {
    long all = used - given;
    if (all > 0 && !closed) {
      given = used;
      carrier.giveBack(id, all);
    }
  }

  /** Ends both directions. What waits is dropped. */
  void close() {
    if (!closed) {
      closed = true;
      out.forEach(Out::free);
      out.clear();
      early.clear();
      whenSent = null;
      carrier.remove(this, received - used, used - given);
    }
  }
}
