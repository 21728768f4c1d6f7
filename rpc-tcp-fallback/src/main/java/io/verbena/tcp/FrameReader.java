package io.verbena.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the frames in the bytes of a socket, and hands them over without a copy. Only a frame that
 * ends in a later read is copied. Its memory grows no faster than its bytes arrive. Between frames
 * there may be chunks of bulk bytes, which go to their targets.
 */
final class FrameReader {
  private static final String CHECK = "Is it a Verbena program? Check the address";

  private static final int SMALLEST_KEPT = 256;

  private final int maxFrameBytes;
  private final ByteBufAllocator allocator;
  private final OpenTargets targets;
  private final Owner owner;

  /**
   * Bytes that were read but not handed over: the start of a frame, or whole frames after a pause.
   */
  private @Nullable ByteBuf kept;

  /** Chunks may come between frames. Links that carry only small calls never set this. */
  private boolean expectsChunks;

  /** Nothing is handed over until reading is resumed. */
  private boolean paused;

  private boolean closed;
  private boolean handingOver;

  /** Whether a whole frame has come. */
  private boolean heard;

  /** The receiver of the frames. */
  interface Owner {
    /** A frame has arrived, at these absolute indices. The buffer is valid during the call. */
    void onFrame(ByteBuffer buffer, int from, int to);

    /** Returns whether the peer may send receipts. */
    boolean expectsReceipts();

    /** The peer has received this many bulk bytes in all. */
    void onReceipt(long bytes);

    /** The bytes are not a valid frame. The reader is closed. */
    void onViolation(String reason);
  }

  FrameReader(int maxFrameBytes, ByteBufAllocator allocator, OpenTargets targets, Owner owner) {
    this.maxFrameBytes = maxFrameBytes;
    this.allocator = allocator;
    this.targets = targets;
    this.owner = owner;
  }

  /** Allows the peer to send chunks from now on. */
  void expectChunks() {
    expectsChunks = true;
  }

  /** Stops or allows the handover of frames. After a pause, call {@link #resume}. */
  void pause(boolean paused) {
    this.paused = paused;
  }

  /**
   * Takes the bytes of a read; the caller releases the buffer. Returns whether there were bulk
   * bytes among them.
   */
  boolean read(ByteBuf in) {
    long before = expectsChunks ? targets.come() : 0;
    take(in);
    return expectsChunks && targets.come() > before;
  }

  private void take(ByteBuf in) {
    if (expectsChunks && targets.isBuffer(in)) {
      targets.landed();
      handOver(Unpooled.EMPTY_BUFFER);
      return;
    }
    while (kept != null && in.isReadable() && wantsMore()) {
      topUp(kept, in);
      handOverKept();
    }
    if (kept == null) {
      handOver(in);
    }
    if (in.isReadable() && !closed) {
      keep(in);
    }
  }

  /** Hands over the bytes that were kept during a pause. */
  void resume() {
    if (handingOver) {
      return;
    }
    if (kept != null) {
      handOverKept();
    } else {
      handOver(Unpooled.EMPTY_BUFFER);
    }
  }

  /** Returns whether bytes are kept that were not handed over. */
  boolean hasKept() {
    return kept != null || targets.isWhole();
  }

  /** Returns a description of the frame or chunk that is incomplete; empty if there is none. */
  String inTheMiddleOf() {
    if (targets.inChunk()) {
      return " in the middle of bulk bytes";
    }
    if (kept == null) {
      return "";
    }
    return " in the middle of a frame" + (heard ? "" : ". " + CHECK);
  }

  /** Returns memory for the rest of a chunk, retained; null if no chunk is being read. */
  @Nullable ByteBuf chunkRoom() {
    return expectsChunks && kept == null && !handingOver ? targets.buffer() : null;
  }

  /** Returns whether a chunk's header is likely next; true once for each chunk. */
  boolean headerIsNext() {
    return expectsChunks && targets.headerIsNext();
  }

  /** Returns whether a target has become full since the last call. */
  boolean isAnyFilled() {
    return expectsChunks && targets.isAnyFilled();
  }

  void close() {
    closed = true;
    targets.close();
    if (!handingOver) {
      releaseKept();
    }
  }

  private boolean wantsMore() {
    return !closed && !paused;
  }

  /** Moves the missing bytes of the first frame or header in {@code to}, and no more. */
  private void topUp(ByteBuf to, ByteBuf from) {
    int have = to.readableBytes();
    int need = targets.inChunk() ? 0 : Chunk.PREFIX;
    if (need <= have && !targets.inChunk()) {
      int length = to.getInt(to.readerIndex());
      if (isSound(length)) {
        need += length;
      } else if (beginsReceipt(length)) {
        need = Receipt.BYTES;
      } else if (beginsChunk(length)) {
        need = Chunk.HEADER;
      } // otherwise the next handover finds the fault again, and reports it
    }
    if (need > have) {
      to.writeBytes(from, Math.min(need - have, from.readableBytes()));
    }
  }

  private void handOverKept() {
    ByteBuf first = kept;
    if (first == null) {
      return;
    }
    handOver(first);
    if (closed || !first.isReadable()) {
      releaseKept();
    }
  }

  private void handOver(ByteBuf in) {
    handingOver = true;
    try {
      while (wantsMore() && (isInChunk() ? takeChunk(in) : takeFrames(in))) {}
    } finally {
      handingOver = false;
    }
  }

  private boolean isInChunk() {
    return expectsChunks && targets.inChunk();
  }

  /** Returns whether the buffer may hold more. */
  private boolean takeChunk(ByteBuf in) {
    String violation = targets.take(in);
    if (violation != null) {
      owner.onViolation(violation);
      return false;
    }
    if (!targets.isWhole()) {
      return false;
    }
    targets.endChunk();
    return true;
  }

  /** Hands over frames up to the next chunk. Returns whether a chunk follows. */
  private boolean takeFrames(ByteBuf in) {
    ByteBuffer view = null;
    int shift = 0;
    while (wantsMore() && in.readableBytes() >= Chunk.PREFIX) {
      int start = in.readerIndex() + Chunk.PREFIX;
      int length = in.getInt(start - Chunk.PREFIX);
      if (!isSound(length)) { // a length that begins a receipt or chunk is never a sound one
        if (beginsReceipt(length)) {
          if (in.readableBytes() < Receipt.BYTES) {
            return false;
          }
          owner.onReceipt(Receipt.readFrom(in));
          continue;
        }
        if (beginsChunk(length)) {
          return beginChunk(in);
        }
        owner.onViolation(describe(length));
        return false;
      }
      if (in.readableBytes() - Chunk.PREFIX < length) {
        return false;
      }
      if (view == null) {
        // Valid until the next read into the buffer; allocates only the first time.
        view = in.internalNioBuffer(in.readerIndex(), in.readableBytes());
        shift = view.position() - in.readerIndex();
      }
      in.readerIndex(start + length);
      heard = true;
      owner.onFrame(view, start + shift, start + shift + length);
    }
    return false;
  }

  private boolean beginsReceipt(int prefix) {
    return Receipt.begins(prefix) && owner.expectsReceipts();
  }

  private boolean beginsChunk(int prefix) {
    return expectsChunks && Chunk.begins(prefix);
  }

  private boolean beginChunk(ByteBuf in) {
    if (in.readableBytes() < Chunk.HEADER) {
      return false;
    }
    String violation = targets.begin(Chunk.readFrom(in));
    if (violation != null) {
      owner.onViolation(violation);
    }
    return violation == null;
  }

  private void keep(ByteBuf in) {
    ByteBuf to = kept;
    if (to == null) {
      to = allocator.directBuffer(Math.max(SMALLEST_KEPT, in.readableBytes()));
      kept = to;
    }
    to.discardReadBytes();
    to.writeBytes(in);
  }

  private void releaseKept() {
    if (kept != null) {
      kept.release();
      kept = null;
    }
  }

  private boolean isSound(int length) {
    return length >= 1 && length <= maxFrameBytes;
  }

  private String describe(int length) {
    if (Tls.isRecord(length >>> 24, length >> 16 & 0xff)) {
      return "the peer speaks TLS, and this end does not: give both ends TLS options, or neither";
    }
    return "the peer sent a frame of "
        + Integer.toUnsignedString(length)
        + " bytes; this end accepts 1 to maxFrameBytes = "
        + maxFrameBytes
        + ". "
        + CHECK;
  }
}
