package io.verbena.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Finds the frames in what a socket delivers and hands them over where they lie. Only a frame that
 * ends in a later read is copied, and no more memory is spent on it than bytes of it have come.
 */
final class FrameReader {
  /** Bytes of the length before each frame. */
  static final int PREFIX = 4;

  private static final int SMALLEST_KEPT = 256;

  private final int maxFrameBytes;
  private final ByteBufAllocator allocator;
  private final Owner owner;

  /** What has been read but not handed over: the start of a frame; whole ones after a pause. */
  private @Nullable ByteBuf kept;

  private boolean closed;
  private boolean handingOver;

  /** Who the frames are for. */
  interface Owner {
    /** Returns whether frames may be handed over now. */
    boolean wantsFrames();

    /** A frame is at these absolute indices. */
    void onFrame(ByteBuffer buffer, int from, int to);

    /** What came is no frame. Closes this reader. */
    void onViolation(String reason);
  }

  FrameReader(int maxFrameBytes, ByteBufAllocator allocator, Owner owner) {
    this.maxFrameBytes = maxFrameBytes;
    this.allocator = allocator;
    this.owner = owner;
  }

  /** Takes what was read; the caller releases it. */
  void read(ByteBuf in) {
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
    if (kept != null && !handingOver) {
      handOverKept();
    }
  }

  /** Returns whether bytes were read that no frame has been made of. */
  boolean hasKept() {
    return kept != null;
  }

  void close() {
    closed = true;
    if (!handingOver) {
      releaseKept();
    }
  }

  private boolean wantsMore() {
    return !closed && owner.wantsFrames();
  }

  /** Moves over what the first frame in {@code to} lacks, and no more. */
  private void topUp(ByteBuf to, ByteBuf from) {
    int have = to.readableBytes();
    int need = PREFIX;
    if (have >= PREFIX) {
      int length = to.getInt(to.readerIndex());
      if (!isSound(length)) {
        return; // found again, and told, by whoever hands over next
      }
      need += length;
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
      ByteBuffer view = null;
      int shift = 0;
      while (wantsMore() && in.readableBytes() >= PREFIX) {
        int start = in.readerIndex() + PREFIX;
        int length = in.getInt(start - PREFIX);
        if (!isSound(length)) {
          owner.onViolation(describe(length));
          return;
        }
        if (in.readableBytes() - PREFIX < length) {
          return;
        }
        if (view == null) {
          // Valid until the buffer is read into again; allocates nothing after its first time.
          view = in.internalNioBuffer(in.readerIndex(), in.readableBytes());
          shift = view.position() - in.readerIndex();
        }
        in.readerIndex(start + length);
        owner.onFrame(view, start + shift, start + shift + length);
      }
    } finally {
      handingOver = false;
    }
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
        + maxFrameBytes;
  }
}
