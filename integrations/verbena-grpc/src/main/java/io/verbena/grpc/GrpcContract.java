package io.verbena.grpc;

import io.grpc.Metadata;
import io.grpc.internal.ReadableBuffer;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.api.stub.ResultReader;
import io.verbena.api.stub.Schema;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;
import io.verbena.core.CarriedCalls;
import io.verbena.core.SessionLimits;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The contract by which sessions carry gRPC's calls. Both ends serve it, because pieces of streams
 * travel both ways.
 *
 * <pre>
 *   client                                        server
 *     open {version, window, metadata} ──────────→  a transport begins
 *     stay ──────────────────────────────────────→  never answered: it ends with the session
 *     call {stream, path, headers, first bytes} ─→  a stream begins
 *     piece {stream, sequence, bytes} ───────────→  more of the request; a long one is pushed
 *       ←── piece {stream, sequence, headers, bytes}  more of the response
 *     credit {stream, bytes} ←───────────────────→  the receiver has used bytes; a stream has begun
 *       ←── answer of call {headers, last bytes, trailers, number of pieces}
 *     leave ─────────────────────────────────────→  answered when the server takes no new streams
 * </pre>
 *
 * <p>The bytes are gRPC's own frames: a flag, a length and a message, again and again.
 */
final class GrpcContract {
  static final String NAME = "io.grpc";
  static final int VERSION = 1;

  /** The bytes of one stream that may wait at its receiver. */
  static final int STREAM_WINDOW = 4 << 20;

  /** The bytes of all streams of a session that may wait at its receiver. */
  static final int SESSION_WINDOW = 64 << 20;

  /** A longer frame travels as pieces, and a shorter one within its call. */
  static final int MOST_INLINE = 6 << 10;

  /** No further bytes follow in this direction. */
  static final int LAST = 1;

  /** The client needs no part of the response before the whole. */
  static final int WHOLE = 2;

  /** Headers follow. */
  static final int HEADERS = 4;

  /** The authority of the call follows. */
  static final int AUTHORITY = 8;

  /** Pieces wait for a credit, because the call may begin later than they would come. */
  static final int LATE = 16;

  /** The trailers say that the call is OK, and nothing else, and are left out. */
  static final int FINE = 32;

  private static final long NO_TIMEOUT = Long.MAX_VALUE;

  static final MethodDescriptor<Opened> OPEN = method(1, "open", false, 0, Opened::read);

  /** It counts as a streaming call, so that its session passes pieces on while the peer drains. */
  static final MethodDescriptor<Void> STAY =
      new MethodDescriptor<>(
          NAME, 2, "stay", false, false, true, NO_TIMEOUT, in -> null, null, true);

  static final MethodDescriptor<Void> PIECE = method(4, "piece", true, NO_TIMEOUT, in -> null);
  static final MethodDescriptor<Void> CREDIT = method(5, "credit", true, NO_TIMEOUT, in -> null);
  static final MethodDescriptor<Void> PING = method(6, "ping", false, 0, in -> null);
  static final MethodDescriptor<Void> LEAVE = method(7, "leave", false, NO_TIMEOUT, in -> null);

  static final ServiceDescriptor<GrpcContract> SERVICE =
      new ServiceDescriptor<>(
          GrpcContract.class,
          NAME,
          new Schema(
              NAME,
              List.of(
                  described(1, "open", "gRPC end", "String authority"),
                  described(2, "stay"),
                  described(3, "call", "gRPC call"),
                  described(4, "piece", "gRPC piece"),
                  described(5, "credit", "long stream", "long bytes"),
                  described(6, "ping"),
                  described(7, "leave")),
              List.of()),
          List.of(OPEN, STAY, call(0), PIECE, CREDIT, PING, LEAVE),
          caller -> {
            throw new UnsupportedOperationException(NAME + " has no stub");
          });

  private GrpcContract() {}

  /**
   * Returns the method that makes a call.
   *
   * @param mostMetadata the largest headers or trailers to take, in bytes
   */
  static MethodDescriptor<Answer> call(int mostMetadata) {
    return method(3, "call", false, NO_TIMEOUT, in -> Answer.read(in, mostMetadata));
  }

  private static <R> MethodDescriptor<R> method(
      int id, String name, boolean oneway, long timeoutNanos, ResultReader<R> reader) {
    return new MethodDescriptor<>(NAME, id, name, false, oneway, true, timeoutNanos, reader, null);
  }

  private static Schema.Method described(int id, String name, String... parameters) {
    List<Schema.Member> members =
        List.of(parameters).stream()
            .map(one -> one.split(" ", 2))
            .map(one -> new Schema.Member(one[1], one[0], false))
            .toList();
    boolean oneway = id == 4 || id == 5;
    return new Schema.Method(id, name, oneway, members, oneway ? "void" : name, List.of());
  }

  /** Returns the most streams at once. The other calls of a session are left for their pieces. */
  static int mostStreams(SessionLimits limits) {
    return limits.maxCalls() - limits.maxCalls() / 4;
  }

  /** What an end takes: the bytes of one stream and of one block of metadata, and streams. */
  record Opened(int version, long window, int mostMetadata, int streams) {
    static Opened read(WireIn in) {
      return new Opened(in.readVarInt(), in.readVarLong(), in.readVarInt(), in.readVarInt());
    }

    void write(WireOut out) {
      out.writeVarInt(version);
      out.writeVarLong(window);
      out.writeVarInt(mostMetadata);
      out.writeVarInt(streams);
    }
  }

  /**
   * The end of a response.
   *
   * @param headers null if a piece brought them, or if there are none
   * @param trailers null if they say nothing but OK
   * @param pieces the number of pieces that belong before it
   */
  record Answer(
      @Nullable Block headers, MemorySegment bytes, @Nullable Block trailers, int pieces) {
    static Answer read(WireIn in, int mostMetadata) {
      int flags = in.readByte();
      Block headers = (flags & HEADERS) == 0 ? null : Block.read(in, mostMetadata);
      MemorySegment bytes = in.readSegment();
      Block trailers = (flags & FINE) != 0 ? null : Block.read(in, mostMetadata);
      return new Answer(headers, bytes, trailers, in.readVarInt());
    }

    static void write(
        WireOut out, @Nullable Metadata headers, byte[] bytes, Metadata trailers, int pieces) {
      boolean fine = Statuses.isFine(trailers);
      out.writeByte((headers == null ? 0 : HEADERS) | (fine ? FINE : 0));
      if (headers != null) {
        Block.write(out, headers);
      }
      out.writeBytes(bytes);
      if (!fine) {
        Block.write(out, trailers);
      }
      out.writeVarInt(pieces);
    }
  }

  /**
   * A part of a stream in one direction.
   *
   * @param sequence its place among the pieces of its direction, from 0
   */
  record Piece(int sequence, boolean last, @Nullable Block headers, ReadableBuffer bytes) {
    static Piece read(WireIn in, int mostMetadata) {
      int sequence = in.readVarInt();
      int flags = in.readByte();
      Block headers = (flags & HEADERS) == 0 ? null : Block.read(in, mostMetadata);
      ReadableBuffer bytes = Received.copyOf(CarriedCalls.view(in));
      return new Piece(sequence, (flags & LAST) != 0, headers, bytes);
    }
  }
}
