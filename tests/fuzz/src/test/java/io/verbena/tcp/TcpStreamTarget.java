package io.verbena.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.verbena.fuzz.Meter;
import io.verbena.fuzz.Target;
import io.verbena.link.BulkRegion;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * A TCP stream as it is read: frames, chunks into memory that is open, receipts. However the stream
 * is cut into reads, and wherever the reader pauses, the same comes out of it, and nothing is
 * written beside what is open. The input's first byte says how it is cut; the rest is the stream.
 */
public final class TcpStreamTarget implements Target {
  private static final int MOST_FRAME = 4096;
  private static final int ROOM = 600;
  private static final int GUARD = 64;
  private static final int SENT = 1000;

  @Override
  public void take(byte[] input, Meter meter) {
    if (input.length == 0) {
      return;
    }
    List<String> whole = new Stream(input, input.length, false).read();
    int cut = 1 + (input[0] & 0x7f);
    List<String> inPieces = new Stream(input, cut, input[0] < 0).read();
    assertThat(inPieces).as("read %d bytes at a time", cut).isEqualTo(whole);
  }

  /** One reading of a stream, and what came of it. */
  private static final class Stream implements FrameReader.Owner {
    private final byte[] input;
    private final int cut;
    private final boolean pauses;
    private final List<String> heard = new ArrayList<>();
    private final Pace pace = new Pace(() -> 0);
    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    private final OpenTargets targets = new OpenTargets();
    private final FrameReader reader = new FrameReader(MOST_FRAME, allocator, targets, this);
    private boolean paused;
    private boolean closed;

    Stream(byte[] input, int cut, boolean pauses) {
      this.input = input;
      this.cut = cut;
      this.pauses = pauses;
    }

    List<String> read() {
      pace.sent(SENT, true);
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment memory = arena.allocate(2 * ROOM + 3 * GUARD);
        memory.fill((byte) 0x55);
        BulkRegion region = new BulkRegion.Plain(memory);
        targets.open(region, GUARD, ROOM, upTo -> heard.add("first up to " + upTo));
        targets.open(region, 2 * GUARD + ROOM, ROOM, upTo -> heard.add("second up to " + upTo));
        targets.open(region, 0, GUARD, upTo -> heard.add("closed")).close(() -> {});
        reader.expectChunks();
        for (int at = 1; at < input.length && !closed; at += cut) {
          offer(at, Math.min(cut, input.length - at));
        }
        heard.add("left over: " + (closed ? "" : reader.inTheMiddleOf()));
        reader.close();
        for (long guard : new long[] {0, GUARD + ROOM, 2 * (GUARD + ROOM)}) {
          for (byte one : memory.asSlice(guard, GUARD).toArray(ValueLayout.JAVA_BYTE)) {
            assertThat(one).as("memory that was not open").isEqualTo((byte) 0x55);
          }
        }
      }
      assertThat(allocator.metric().usedDirectMemory()).as("buffers kept").isZero();
      return heard;
    }

    /** Reads as a socket would: into the landing where there is one, else into a buffer. */
    private void offer(int from, int length) {
      int at = from;
      while (at < from + length && !closed) {
        ByteBuf landing = reader.chunkRoom();
        int left = from + length - at;
        ByteBuf buffer = landing == null ? allocator.directBuffer(left) : landing;
        int now = Math.min(left, buffer.writableBytes());
        buffer.writeBytes(input, at, now);
        at += now;
        try {
          reader.read(buffer);
        } finally {
          buffer.release();
        }
        long kept = allocator.metric().usedDirectMemory();
        assertThat(kept).as("kept of a frame").isLessThan(4L * (MOST_FRAME + 2 * cut) + 1024);
        while (paused && !closed) {
          paused = false;
          reader.pause(false);
          reader.resume();
        }
      }
    }

    @Override
    public void onFrame(ByteBuffer buffer, int from, int to) {
      byte[] frame = new byte[to - from];
      buffer.get(from, frame);
      assertThat(frame.length).isBetween(1, MOST_FRAME);
      heard.add("frame " + HexFormat.of().formatHex(frame));
      paused = pauses && frame.length % 2 == 0;
      reader.pause(paused);
    }

    @Override
    public boolean expectsReceipts() {
      return pace.expectsReceipts();
    }

    @Override
    public void onReceipt(long bytes) {
      String wrong = pace.receipt(bytes);
      heard.add("receipt " + bytes);
      assertThat(pace.chunkBytes()).isBetween(Pace.LEAST_CHUNK, Pace.MOST_CHUNK);
      if (wrong != null) {
        onViolation(wrong);
      }
    }

    @Override
    public void onViolation(String reason) {
      heard.add(reason);
      closed = true;
      reader.close();
    }
  }

  private static final class Out {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    Out(int cut) {
      bytes.write(cut);
    }

    Out frame(int length) {
      return put(ByteBuffer.allocate(4 + length).putInt(length));
    }

    Out chunk(long target, long at, int length, boolean checkpoint) {
      ByteBuf header = UnpooledByteBufAllocator.DEFAULT.heapBuffer(Chunk.HEADER);
      new Chunk(length, target, at, checkpoint, false).writeTo(header);
      return put(ByteBuffer.allocate(Chunk.HEADER + length).put(header.nioBuffer()));
    }

    Out receipt(long arrived) {
      ByteBuf receipt = UnpooledByteBufAllocator.DEFAULT.heapBuffer(Receipt.BYTES);
      Receipt.writeTo(receipt, arrived);
      return put(ByteBuffer.allocate(Receipt.BYTES).put(receipt.nioBuffer()));
    }

    private Out put(ByteBuffer more) {
      for (int i = 0; i < more.capacity(); i++) {
        bytes.write(more.get(i));
      }
      return this;
    }

    byte[] done() {
      return bytes.toByteArray();
    }
  }

  @Override
  public List<byte[]> seeds() {
    return List.of(
        new Out(0x83).frame(40).frame(1).frame(300).done(),
        new Out(7).chunk(1, 0, 100, false).frame(3).chunk(1, 100, 500, true).done(),
        new Out(90).chunk(2, 0, 10, true).chunk(3, 0, 5, true).receipt(1000).done(),
        new Out(1).receipt(10).frame(10).receipt(11).chunk(2, 1, 1, true).done());
  }

  /** Two readings; of each, what was heard as text; buffers are counted above. */
  @Override
  public long mostBytes(int inputLength) {
    return 500_000 + 3_000L * inputLength;
  }
}
