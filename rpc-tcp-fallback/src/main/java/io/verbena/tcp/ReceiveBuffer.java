package io.verbena.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.UncheckedBooleanSupplier;
import io.verbena.link.memory.SpareMemory;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The buffer into which sockets of plaintext links are read. In the middle of a chunk it is the
 * memory of the chunk's target. Otherwise it is one buffer that all links of a loop share. A link
 * handles its bytes before the next link is read, so a thousand idle links hold no receive memory.
 */
final class ReceiveBuffer {
  /** The most bytes of one read: enough for hundreds of small frames in one system call. */
  private static final int BYTES = 64 << 10;

  /**
   * The bytes to read at the end of a chunk: the header of the next chunk, and a few small frames.
   * Further bytes would mostly belong to the next chunk, and would have to be copied to its target.
   */
  private static final int BETWEEN_CHUNKS = 512;

  /** The bytes of one read of a socket that carries no link. */
  private static final int OF_OTHERS = 8 << 10;

  /** The number of reads of one link before other links have their turn. */
  private static final int READS_IN_A_ROW = 4;

  private static final int ALL = BYTES + BETWEEN_CHUNKS;

  /**
   * Whether Netty returns unpooled memory to the system at its release. It does where it may use
   * addresses, which takes native access; otherwise the memory waits for the garbage collector.
   */
  private static final boolean NETTY_FREES = nettyFrees();

  /** What stands in for it. */
  private static final SpareMemory<ByteBuffer> SPARE =
      new SpareMemory<>(ByteBuffer::allocateDirect);

  private final @Nullable ByteBuffer spare;
  private final ByteBuf buffer;
  private final ByteBuf small;

  /**
   * Makes the buffer without Netty's pool, which would leave a cache on the thread that makes the
   * driver, a user's.
   *
   * @throws OutOfMemoryError if the process has no direct memory left
   */
  ReceiveBuffer() {
    if (NETTY_FREES) {
      this.spare = null;
      this.buffer = UnpooledByteBufAllocator.DEFAULT.directBuffer(BYTES, BYTES);
      this.small = UnpooledByteBufAllocator.DEFAULT.directBuffer(BETWEEN_CHUNKS, BETWEEN_CHUNKS);
    } else {
      ByteBuffer memory = SPARE.take(ALL);
      this.spare = memory;
      this.buffer = Unpooled.wrappedBuffer(memory.slice(0, BYTES));
      this.small = Unpooled.wrappedBuffer(memory.slice(BYTES, BETWEEN_CHUNKS));
    }
  }

  private static boolean nettyFrees() {
    ByteBuf probe = UnpooledByteBufAllocator.DEFAULT.directBuffer(1, 1);
    boolean addressed = probe.hasMemoryAddress();
    probe.release();
    return addressed;
  }

  /** Makes a socket read into this buffer, before its registration. */
  void use(SocketChannel socket) {
    socket.config().setRecvByteBufAllocator(new Reads(this));
  }

  /** Makes a socket that read into another loop's buffer read into this one. */
  void takeOver(SocketChannel socket) {
    if (socket.config().getRecvByteBufAllocator() instanceof Reads reads) {
      reads.shared = this;
    }
  }

  /** Makes a socket read chunks into their targets, if it uses this buffer. */
  static void readFor(FrameReader reader, SocketChannel socket) {
    if (socket.config().getRecvByteBufAllocator() instanceof Reads reads) {
      reads.reader = reader;
    }
  }

  /** Makes a socket that carries no link read into memory of its own, which may be kept. */
  static void leave(SocketChannel socket) {
    if (socket.config().getRecvByteBufAllocator() instanceof Reads reads) {
      reads.isApart = true;
    }
  }

  void release() {
    boolean free = buffer.release();
    if (small.release() && free && spare != null) {
      SPARE.leave(ALL, spare);
    }
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
      // The buffer is in use only if a listener of a frame makes the loop read again from within.
      return next.refCnt() == 1 ? next.clear().retain() : allocator.directBuffer(BYTES);
    }

    @Override
    @SuppressWarnings("deprecation") // the interface returns a Handle
    public Handle newHandle() {
      return new MaxMessageHandle() {
        @Override
        public int guess() {
          return BYTES;
        }

        /**
         * Stops reading when a target is full: its sender probably waits for the confirmation,
         * which goes out before more is read.
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
