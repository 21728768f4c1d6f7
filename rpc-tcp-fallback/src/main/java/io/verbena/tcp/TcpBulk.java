package io.verbena.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.verbena.link.BulkPort;
import io.verbena.link.BulkRegion;
import io.verbena.link.BulkTarget;
import io.verbena.link.LinkException;
import io.verbena.link.MemoryLife;
import io.verbena.link.NumberedTarget;
import io.verbena.link.RemoteTarget;
import io.verbena.link.SendResult;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayDeque;
import java.util.function.Supplier;

/**
 * Sends and receives bulk bytes as chunks of a link's stream, between its frames. The socket reads
 * from the source's memory, and writes into the target's. Only TLS, which changes every byte,
 * copies. No memory needs to be pinned.
 *
 * <p>Chunks and frames share one stream and its order. So {@link io.verbena.link.Link#setReceiving
 * setReceiving(false)} stops both. No arrival is reported while a link is paused, so a listener
 * must not wait for bulk bytes in a pause.
 */
final class TcpBulk implements BulkPort {
  /** Together with the chunk in the kernel, half of the window. */
  private static final int CHUNKS_UNDER_WAY = Pace.CHUNKS / 2 - 1;

  private final TcpLink link;
  private final FrameWriter writer;
  private final OpenTargets targets;
  private final boolean tls;

  /** Whether the kernel sends from files. It never changes, because transfers rely on it. */
  private final boolean sendsFiles;

  private final Pace pace;

  /** The callbacks of written pieces, to be called once the stack is unwound. */
  private final ArrayDeque<Runnable> written = new ArrayDeque<>();

  private final Runnable tellOfWritten = this::tellOfWritten;
  private long bytesUnderWay;
  private int sourcesInUse;

  /** A piece was refused, and no room has been reported since. */
  private boolean pushedBack;

  TcpBulk(TcpLink link, FrameWriter writer, OpenTargets targets, boolean tls, Pace pace) {
    this.link = link;
    this.writer = writer;
    this.targets = targets;
    this.tls = tls;
    this.sendsFiles = !tls && FilePiece.areSent();
    this.pace = pace;
  }

  @Override
  public int chunkBytes() {
    return pace.chunkBytes();
  }

  @Override
  public long windowBytes() {
    return (long) CHUNKS_UNDER_WAY * pace.chunkBytes();
  }

  @Override
  public boolean landsOnHeap() {
    return true;
  }

  @Override
  public BulkRegion attach(MemorySegment memory, MemoryLife life) throws LinkException {
    return BulkRegion.Plain.of(memory);
  }

  @Override
  public BulkTarget open(
      BulkRegion region, long offset, long length, BulkTarget.Listener listener) {
    BulkTarget opened = targets.open(region, offset, length, listener);
    link.expectChunks();
    return opened;
  }

  @Override
  public RemoteTarget remote(ByteBuffer advertisement) throws LinkException {
    return NumberedTarget.read(advertisement);
  }

  @Override
  public SendResult write(
      RemoteTarget target,
      long at,
      BulkRegion source,
      long offset,
      int length,
      boolean checkpoint,
      Runnable whenWritten) {
    MemorySegment piece = source.memory().asSlice(offset, length);
    if (!piece.isNative()) {
      throw new IllegalArgumentException("the socket reads native memory only");
    }
    if (!piece.scope().isAlive()) {
      throw new IllegalStateException(
          "a transfer's source was freed: keep its arena open until the transfer has ended");
    }
    Write write = new Write(length, tls ? MemorySegment.NULL : piece, whenWritten);
    return send((NumberedTarget) target, at, checkpoint, write, () -> bytes(piece));
  }

  private ByteBuf bytes(MemorySegment piece) {
    ByteBuffer bytes = piece.asByteBuffer();
    return tls ? copied(bytes) : Unpooled.wrappedBuffer(bytes);
  }

  private ByteBuf copied(ByteBuffer bytes) {
    ByteBuf copy = link.allocator().directBuffer(bytes.remaining());
    try {
      return copy.writeBytes(bytes);
    } catch (InternalError e) { // a mapped file was truncated
      copy.release();
      throw e;
    }
  }

  @Override
  public boolean writesFrom(FileChannel file) {
    return sendsFiles && FilePiece.canBeOf(file);
  }

  @Override
  public SendResult writeFile(
      RemoteTarget target,
      long at,
      FileChannel source,
      long position,
      int length,
      boolean checkpoint,
      Runnable whenWritten) {
    if (!writesFrom(source)) {
      throw new IllegalArgumentException(
          "only files of the default file system can be sent, and only without TLS, not " + source);
    }
    Write write = new Write(length, MemorySegment.NULL, whenWritten);
    return send(
        (NumberedTarget) target,
        at,
        checkpoint,
        write,
        () -> new FilePiece(source, position, length));
  }

  private SendResult send(
      NumberedTarget target, long at, boolean checkpoint, Write write, Supplier<Object> bytes) {
    if (link.isClosed()) {
      return SendResult.CLOSED;
    }
    target.requireNext(at, write.length);
    boolean room = bytesUnderWay == 0 || bytesUnderWay + write.length <= windowBytes();
    if (!room || !pace.hasRoom(write.length)) {
      pushedBack = true;
      return SendResult.BACK_PRESSURED;
    }
    boolean asks = pace.asks(write.length);
    Chunk header = new Chunk(write.length, target.number, at, checkpoint, asks);
    bytesUnderWay += write.length;
    sourcesInUse += write.uses;
    boolean sent = false;
    try {
      SendResult result = writer.send(header, pace.chunkBytes(), bytes, write);
      sent = result == SendResult.SENT;
      pushedBack |= result == SendResult.BACK_PRESSURED;
      return result;
    } finally {
      if (sent) {
        target.wrote(write.length);
        pace.sent(write.length, asks);
      } else {
        bytesUnderWay -= write.length;
        sourcesInUse -= write.uses;
      }
    }
  }

  boolean isPushedBack() {
    return pushedBack;
  }

  /** Notes that room was reported. */
  void roomTold() {
    pushedBack = false;
  }

  /** Returns whether the socket may still read from a source of this end's owner. */
  boolean readsSources() {
    return sourcesInUse > 0;
  }

  boolean hasRoom() {
    return bytesUnderWay < windowBytes() && pace.hasRoom(pace.chunkBytes());
  }

  private void tellOfWritten() {
    for (Runnable each = written.poll(); each != null; each = written.poll()) {
      if (!link.isClosed()) {
        each.run();
      }
    }
  }

  /** A piece that is being written. */
  private final class Write implements ChannelFutureListener {
    private final int length;

    /** The source; NULL if it is a file, or if TLS has copied it. */
    private final MemorySegment memory;

    private final Runnable whenWritten;

    /** The number of sources in use until this ends: none with TLS, which has copied them. */
    private final int uses = tls ? 0 : 1;

    Write(int length, MemorySegment memory, Runnable whenWritten) {
      this.length = length;
      this.memory = memory;
      this.whenWritten = whenWritten;
    }

    @Override
    public void operationComplete(ChannelFuture future) {
      bytesUnderWay -= length;
      sourcesInUse -= uses;
      if (!future.isSuccess()) {
        Throwable failure = failure(future);
        if (sendsFiles && memory.equals(MemorySegment.NULL)) {
          FilePiece.failed(failure);
          link.bulkFailed(failure);
        } else {
          link.bulkUnwritable(failure);
        }
      } else if (!memory.scope().isAlive()) {
        link.bulkFailed(
            new IOException(
                "a transfer's source was freed while it was sent: keep its arena open until the"
                    + " transfer has ended"));
      } else {
        written.add(whenWritten);
        link.bulkWritten(tellOfWritten);
      }
    }

    /** Returns what failed, which ended the sending of all. */
    private static Throwable failure(ChannelFuture future) {
      Throwable failure = future.cause();
      Throwable of = failure.getCause();
      return failure instanceof ChannelOutputShutdownException && of != null ? of : failure;
    }
  }
}
