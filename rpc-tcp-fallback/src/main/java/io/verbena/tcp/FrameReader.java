package io.verbena.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the frames in what a socket delivers and hands them over where they lie. Only a frame that
 * ends in a later read is copied, and no more memory is spent on it than bytes of it have come.
 * Between frames there may be chunks of bulk bytes, which are for the targets.
 */
final class FrameReader {
  /** Bytes of the length before each frame. */
  static final int PREFIX = 4;

  private static final int SMALLEST_KEPT = 256;

  private final int maxFrameBytes;
  private final ByteBufAllocator allocator;
  private final OpenTargets targets;
  private final Owner owner;

  /** What has been read but not handed over: the start of a frame; whole ones after a pause. */
  private @Nullable ByteBuf kept;

  /** Between frames there may be chunks. Links of small calls never come to that. */
  private boolean expectsChunks;

  /** Nothing is handed over until that is wanted again. */
  private boolean paused;

  private boolean closed;
  private boolean handingOver;

  /** Who the frames are for. */
  interface Owner {
    /** A frame is at these absolute indices. */
    void onFrame(ByteBuffer buffer, int from, int to);

    /** Returns whether receipts may come. */
    boolean expectsReceipts();

    /** The peer has so many of the bulk bytes that it was sent. */
    void onReceipt(long bytes);

    /** What came is no frame. Closes this reader. */
    void onViolation(String reason);
  }

  FrameReader(int maxFrameBytes, ByteBufAllocator allocator, OpenTargets targets, Owner owner) {
    this.maxFrameBytes = maxFrameBytes;
    this.allocator = allocator;
    this.targets = targets;
    this.owner = owner;
  }

  /** The peer may send chunks from now on. */
  void expectChunks() {
    expectsChunks = true;
  }

  /** Hands nothing over from now on, or is ready to again: see {@link #resume}. */
  void pause(boolean paused) {
    this.paused = paused;
  }

  /** Takes what was read; the caller releases it. Returns whether bulk bytes have come with it. */
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

  /** Hands over what was kept during a pause. */
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

  /** Returns whether something came that has not been handed over. */
  boolean hasKept() {
    return kept != null || targets.isWhole();
  }

  /** Returns words for what would be cut short if nothing more came; empty for nothing. */
  String inTheMiddleOf() {
    if (targets.inChunk()) {
      return " in the middle of bulk bytes";
    }
    return kept != null ? " in the middle of a frame" : "";
  }

  /** Returns memory to read the rest of a chunk into, retained; null if that is not what comes. */
  @Nullable ByteBuf chunkRoom() {
    return expectsChunks && kept == null && !handingOver ? targets.buffer() : null;
  }

  /** Returns whether what comes next is likely a chunk's header; true once per chunk. */
  boolean headerIsNext() {
    return expectsChunks && targets.headerIsNext();
  }

  /** Returns whether a target has become full since this was asked. */
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

  /** Moves over what the first frame or header in {@code to} lacks, and no more. */
  private void topUp(ByteBuf to, ByteBuf from) {
    int have = to.readableBytes();
    int need = targets.inChunk() ? 0 : PREFIX;
    if (need <= have && !targets.inChunk()) {
      int length = to.getInt(to.readerIndex());
      if (isSound(length)) {
        need += length;
      } else if (beginsReceipt(length)) {
        need = Receipt.BYTES;
      } else if (beginsChunk(length)) {
        need = Chunk.HEADER;
      } // else found again, and told, by whoever hands over next
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

  /** Returns whether there may be more in the buffer. */
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

  /** Hands frames over up to the next chunk; returns whether there is one. */
  private boolean takeFrames(ByteBuf in) {
    ByteBuffer view = null;
    int shift = 0;
    while (wantsMore() && in.readableBytes() >= PREFIX) {
      int start = in.readerIndex() + PREFIX;
      int length = in.getInt(start - PREFIX);
      if (!isSound(length)) { // as no length is that a receipt or a chunk begins with
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
      if (in.readableBytes() - PREFIX < length) {
        return false;
      }
      if (view == null) {
        // Valid until the buffer is read into again; allocates nothing after its first time.
        view = in.internalNioBuffer(in.readerIndex(), in.readableBytes());
        shift = view.position() - in.readerIndex();
      }
      in.readerIndex(start + length);
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
    // 20 to 23 are the types of TLS records; 3 is the major version of all of TLS.
    if (length >>> 24 >= 20 && length >>> 24 <= 23 && (length >> 16 & 0xff) == 3) {
      return "the peer speaks TLS, and this end does not: give both ends TLS options, or neither";
    }
    return "the peer sent a frame of "
        + Integer.toUnsignedString(length)
        + " bytes; this end accepts 1 to maxFrameBytes = "
        + maxFrameBytes
        + ". Is it a Verbena program? Check the address";
  }
}
