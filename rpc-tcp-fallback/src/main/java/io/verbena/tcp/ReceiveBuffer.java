package io.verbena.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.UncheckedBooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What sockets of plaintext links are read into. In the middle of a chunk that is the memory the
 * chunk goes to; else one buffer that all links of a loop share. A link takes what it needs out of
 * it before the next is read, so that a thousand idle links hold no receive memory.
 */
final class ReceiveBuffer {
  /** What one read takes at most: enough for hundreds of small frames in one system call. */
  private static final int BYTES = 64 << 10;

  /**
   * What is read at the end of a chunk: the header of the next one, and a few small frames. More
   * would mostly be bytes of the next chunk, which then have to be copied to where they go.
   */
  private static final int BETWEEN_CHUNKS = 512;

  /** What one read of a socket takes that carries no link. */
  private static final int OF_OTHERS = 8 << 10;

  /** Reads of one link before others have their turn. */
  private static final int READS_IN_A_ROW = 4;

  private final ByteBuf buffer;
  private final ByteBuf small;

  ReceiveBuffer(ByteBufAllocator allocator) {
    this.buffer = allocator.directBuffer(BYTES, BYTES);
    this.small = allocator.directBuffer(BETWEEN_CHUNKS, BETWEEN_CHUNKS);
  }

  /** Has a socket read into this buffer, from its registration on. */
  void use(SocketChannel socket) {
    socket.config().setRecvByteBufAllocator(new Reads(this));
  }

  /** Has a socket that read into another loop's buffer read into this one. */
  void takeOver(SocketChannel socket) {
    if (socket.config().getRecvByteBufAllocator() instanceof Reads reads) {
      reads.shared = this;
    }
  }

  /** Has a socket's chunks read to where they go, if its reader reads from the socket itself. */
  static void readFor(FrameReader reader, SocketChannel socket) {
    if (socket.config().getRecvByteBufAllocator() instanceof Reads reads) {
      reads.reader = reader;
    }
  }

  /** Has a socket that carries no link read into memory of its own, which may be kept. */
  static void leave(SocketChannel socket) {
    if (socket.config().getRecvByteBufAllocator() instanceof Reads reads) {
      reads.isApart = true;
    }
  }

  void release() {
    buffer.release();
    small.release();
  }

  private static final class Reads extends DefaultMaxMessagesRecvByteBufAllocator {
    private ReceiveBuffer shared;
    private @Nullable FrameReader reader;
    private boolean isApart;

    Reads(ReceiveBuffer shared) {
      super(READS_IN_A_ROW);
      this.shared = shared;
    }

    private ByteBuf next(ByteBufAllocator allocator) {
      if (isApart) {
        return allocator.directBuffer(OF_OTHERS);
      }
      ByteBuf room = reader == null ? null : reader.chunkRoom();
      if (room != null) {
        return room;
      }
      ByteBuf next = reader != null && reader.headerIsNext() ? shared.small : shared.buffer;
      // In use only if a frame's listener makes the loop read again, from within the frame.
      return next.refCnt() == 1 ? next.clear().retain() : allocator.directBuffer(BYTES);
    }

    @Override
    @SuppressWarnings("deprecation") // Handle is what the interface returns
    public Handle newHandle() {
      return new MaxMessageHandle() {
        @Override
        public int guess() {
          return BYTES;
        }

        /**
         * When a target is full its sender likely waits to hear of that: it is told before more is
         * read.
         */
        @Override
        public boolean continueReading(UncheckedBooleanSupplier mayBeMore) {
          boolean filled = reader != null && reader.isAnyFilled();
          return !filled && super.continueReading(mayBeMore);
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
          return next(allocator);
        }
      };
    }
  }
}
