package io.verbena.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.SocketChannel;
import io.verbena.link.SendResult;
import io.verbena.link.memory.Slot;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes the frames, chunks and receipts of a link, in order. Frames are gathered for one write. A
 * chunk is written together with the frames before it, and a receipt after frames that are written
 * anyway. Netty keeps the bytes that the socket does not take at once. On the loop.
 */
final class FrameWriter {
  private final SocketChannel channel;
  private final OpenTargets targets;
  private final Owner owner;

  /** Null with TLS. */
  private final @Nullable DirectWriter direct;

  private final UnsentInKernel unsent;
  private BatchPool batches;

  /** Frames since the last flush; null if there are none. */
  private @Nullable ByteBuf batch;

  private boolean pushedBack;

  /** A write has failed. No other may follow it, because frames would be missing. */
  private boolean failed;

  /** The peer may send chunks, and ask for receipts. */
  private boolean givesReceipts;

  /** The link that writes. */
  interface Owner {
    boolean isClosed();

    /** The socket takes nothing any more. */
    void unwritable(Throwable cause);
  }

  FrameWriter(
      SocketChannel channel, boolean tls, OpenTargets targets, BatchPool batches, Owner owner) {
    this.channel = channel;
    this.direct = tls ? null : DirectWriter.to(channel);
    this.targets = targets;
    this.batches = batches;
    this.owner = owner;
    this.unsent = new UnsentInKernel(channel);
  }

  /** Uses the buffers of another loop, to which the link has moved. */
  void takeFrom(BatchPool others) {
    batches = others;
  }

  /** Allows receipts from now on. */
  void giveReceipts() {
    givesReceipts = true;
  }

  /** Queues a frame until the next flush. */
  SendResult send(Slot slot) {
    int length = slot.length();
    ByteBuf to = owner.isClosed() ? null : roomFor(Chunk.PREFIX + length);
    if (to == null) {
      return owner.isClosed() ? SendResult.CLOSED : SendResult.BACK_PRESSURED;
    }
    ByteBuffer view = to.internalNioBuffer(to.writerIndex(), Chunk.PREFIX + length);
    int at = view.position();
    view.putInt(at, length);
    view.put(at + Chunk.PREFIX, slot.buffer(), 0, length);
    to.writerIndex(to.writerIndex() + Chunk.PREFIX + length);
    return SendResult.SENT;
  }

  /** Returns a buffer with room for a frame; null if the socket has too much unwritten. */
  private @Nullable ByteBuf roomFor(int bytes) {
    ByteBuf current = batch;
    if (current != null && current.capacity() - current.writerIndex() >= bytes) {
      return current;
    }
    write();
    if (!takes()) {
      pushedBack = true;
      return null;
    }
    current = batches.take(bytes);
    batch = current;
    return current;
  }

  /** Returns whether a frame was refused, and no room has been reported since. */
  boolean isPushedBack() {
    return pushedBack;
  }

  /** Notes that room was reported. */
  void roomTold() {
    pushedBack = false;
  }

  /** Writes the queued frames, with a receipt if one is due. */
  void flush() {
    if (isReceiptDue()) {
      addReceipt();
    }
    write();
  }

  /** Returns whether a receipt is due, and can be sent now. */
  boolean isReceiptDue() {
    return givesReceipts && targets.isReceiptDue() && !owner.isClosed() && takes();
  }

  private boolean takes() {
    return channel.isWritable() && !failed;
  }

  private void addReceipt() {
    if (batch != null && batch.writableBytes() < Receipt.BYTES) {
      write();
      if (!isReceiptDue()) {
        return;
      }
    }
    batch = batch != null ? batch : batches.take(Receipt.BYTES);
    targets.receiptGiven();
    Receipt.writeTo(batch, targets.comeWhole());
  }

  private void write() {
    ByteBuf full = batch;
    if (full == null) {
      return;
    }
    batch = null;
    try {
      writeDirectly(full, null);
      if (full.isReadable()) {
        channel.writeAndFlush(full.retain(), channel.voidPromise());
      }
    } catch (IOException e) {
      failed = true;
      owner.unwritable(e);
    }
    batches.giveBack(full);
  }

  /**
   * Sends a chunk at once. Its header is written with the frames before it, and its bytes without a
   * copy.
   *
   * @param chunkBytes the present length of chunks
   * @param bytes returns a {@link ByteBuf} or a {@link FilePiece}
   */
  SendResult send(
      Chunk header, int chunkBytes, Supplier<Object> bytes, ChannelFutureListener whenDone) {
    if (batch != null && batch.writableBytes() < Chunk.HEADER) {
      flush();
    }
    if (owner.isClosed()) {
      return SendResult.CLOSED;
    }
    if (!takes()) {
      return SendResult.BACK_PRESSURED;
    }
    Object body = bytes.get(); // before the header is written, because this may fail
    ByteBuf before = batch != null ? batch : batches.take(Chunk.HEADER);
    batch = null;
    header.writeTo(before);
    unsent.follow(chunkBytes);
    try {
      writeAsFarAsTaken(before, body);
      if (before.isReadable()) {
        channel.write(before.retain(), channel.voidPromise());
      }
      channel.writeAndFlush(body).addListener(whenDone);
    } finally {
      batches.giveBack(before);
    }
    return SendResult.SENT;
  }

  private void writeAsFarAsTaken(ByteBuf before, Object body) {
    if (body instanceof ByteBuf memory) {
      try {
        writeDirectly(before, memory);
      } catch (IOException e) {
        // Netty writes the rest, meets the same failure, and fails the write.
      }
    }
  }

  /** Writes as much as the socket takes now, by one system call, unless other bytes wait before. */
  private void writeDirectly(ByteBuf frames, @Nullable ByteBuf body) throws IOException {
    ChannelOutboundBuffer waiting = direct == null ? null : channel.unsafe().outboundBuffer();
    if (direct == null || waiting == null || !waiting.isEmpty()) {
      return;
    }
    int first = frames.readableBytes();
    ByteBuffer view = frames.internalNioBuffer(frames.readerIndex(), first);
    if (body == null) {
      frames.skipBytes(direct.write(view, view.position(), view.limit()));
      return;
    }
    int written = direct.write(view, body.nioBuffer());
    frames.skipBytes(Math.min(first, written));
    body.skipBytes(Math.max(0, written - first));
  }

  /** Drops frames that were not flushed; the link is closed. */
  void close() {
    if (batch != null) {
      batch.release();
      batch = null;
    }
  }
}
