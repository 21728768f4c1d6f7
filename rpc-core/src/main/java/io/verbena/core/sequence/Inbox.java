package io.verbena.core.sequence;

import io.verbena.api.wire.WireException;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.link.memory.Memory;
import io.verbena.link.memory.Progress;
import io.verbena.link.memory.Quota;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The receiving side of a session. It checks the order of frames by their numbers and assembles
 * fragments. A frame with a valid number counts as received even if this end then lacks memory for
 * it. Only its message is dropped; otherwise the peer's next frame would seem to be out of order.
 */
public final class Inbox {
  /** The number of received frames that need no separate acknowledgement. */
  private static final int MOST_OWED = 64;

  private static final int FIRST_ALLOCATION = 64 * 1024;

  /** The reason for dropping a message for which the heap had no room. */
  public static final String NO_HEAP = "the heap is full: raise -Xmx, or send less at once";

  private final int maxMessageBytes;
  private final Message message = new Message();
  private final Assembly assembly;
  private long received;
  private int owed;

  public Inbox(int maxMessageBytes, Quota.Share memory) {
    this(maxMessageBytes, memory, byte[]::new);
  }

  /** Makes an inbox with its own allocator, for tests of a full heap. */
  Inbox(int maxMessageBytes, Quota.Share memory, IntFunction<byte[]> heap) {
    this.maxMessageBytes = maxMessageBytes;
    this.assembly = new Assembly(memory, heap);
  }

  /** Returns the highest number received in order. */
  public long received() {
    return received;
  }

  /** Returns whether frames have arrived since the last acknowledgement was sent. */
  public boolean owes() {
    return owed > 0;
  }

  /** Returns whether enough frames have arrived for a separate acknowledgement. */
  public boolean owesMuch() {
    return owed >= MOST_OWED;
  }

  /** An acknowledgement of all received frames was sent. */
  public void acknowledged() {
    owed = 0;
  }

  /**
   * Accepts one numbered frame.
   *
   * @param first its header's first word
   * @return the message that the frame is or completes, valid until it is {@linkplain
   *     Message#release released}; null if there is none yet
   * @throws WireException if the peer broke the protocol
   */
  public @Nullable Message accept(
      FrameKind kind, long first, int timeLeft, ByteBuffer buffer, int from, int to) {
    long sequence = FrameHeader.near(received, FrameHeader.sequence(first));
    if (sequence <= received) {
      // The frame was sent again over a new link although it had arrived. It only needs an
      // acknowledgement.
      owed++;
      return null;
    }
    if (sequence != received + 1) {
      throw new WireException("frame " + sequence + " came after frame " + received);
    }
    received = sequence;
    owed++;
    int body = from + FrameHeader.BYTES;
    if (kind == FrameKind.FRAGMENT) {
      if (!assembly.open) {
        throw new WireException("a fragment without a first fragment");
      }
      return append(buffer, body, to);
    }
    if (assembly.open) {
      throw new WireException(kind + " between the fragments of another message");
    }
    int flags = FrameHeader.flags(first);
    message.set(kind, flags, timeLeft, FrameHeader.third(buffer, from));
    if ((flags & FrameHeader.FLAG_FIRST_FRAGMENT) != 0) {
      return begin(buffer, body, to);
    }
    message.body(buffer, body, to);
    return message;
  }

  private @Nullable Message begin(ByteBuffer buffer, int body, int to) {
    if (to - body < Integer.BYTES) {
      throw new WireException("a first fragment without the message's length");
    }
    int length = buffer.getInt(body);
    if (length < 0 || length > maxMessageBytes) {
      throw new WireException(
          "a message of " + length + " bytes, but the limit is " + maxMessageBytes);
    }
    assembly.begin(length);
    return append(buffer, body + Integer.BYTES, to);
  }

  private @Nullable Message append(ByteBuffer buffer, int body, int to) {
    int piece = to - body;
    if (piece == 0 || piece > assembly.length - assembly.filled) {
      throw new WireException(
          "fragments of " + (assembly.filled + piece) + " bytes for " + assembly.length);
    }
    assembly.append(buffer, body, piece);
    if (assembly.filled < assembly.length) {
      return null;
    }
    assembly.hand(message);
    return message;
  }

  /** Forgets everything, because the session starts again or ends. */
  public void restart() {
    received = 0;
    owed = 0;
    assembly.free();
  }

  /** Records the progress of the message that is being assembled. */
  public void mark() {
    assembly.progress.mark(assembly.filled);
  }

  /** Drops the message that is being assembled, if it made no progress since it was marked. */
  public void dropStalled(String why) {
    if (assembly.isStalled()) {
      assembly.drop(why);
    }
  }

  /**
   * The message that is being assembled, if any. Its memory grows with the received bytes, not with
   * the announced length.
   */
  private static final class Assembly {
    private static final byte[] NOTHING = {};

    final Quota.Share memory;
    final IntFunction<byte[]> heap;
    final Progress progress = new Progress();

    boolean open;
    int length;
    int filled;
    byte @Nullable [] bytes = NOTHING;

    /** The shared memory that it uses. */
    int taken;

    /** The reason why its bytes were dropped. */
    String dropped = "";

    Assembly(Quota.Share memory, IntFunction<byte[]> heap) {
      this.memory = memory;
      this.heap = heap;
    }

    void begin(int length) {
      open = true;
      this.length = length;
      filled = 0;
      bytes = NOTHING;
      progress.begin();
    }

    /** Passes on the body of a complete message, with the memory that it counts for. */
    void hand(Message message) {
      byte[] whole = bytes;
      open = false; // in every case
      if (whole == null) {
        message.dropped(length, dropped);
      } else {
        message.count(memory, taken);
        taken = 0;
        try {
          message.body(ByteBuffer.wrap(whole), 0, length);
        } catch (OutOfMemoryError e) {
          message.release();
          message.dropped(length, NO_HEAP);
        }
      }
      bytes = NOTHING;
    }

    void append(ByteBuffer from, int index, int count) {
      if (bytes != null && filled + count > bytes.length) {
        bytes = grown(bytes, filled + count);
      }
      if (bytes != null) {
        from.get(index, bytes, filled, count);
      }
      filled += count;
    }

    private byte @Nullable [] grown(byte[] old, int needed) {
      long doubled = Math.max(FIRST_ALLOCATION, 2L * old.length);
      int size = (int) Math.min(length, Math.max(needed, doubled));
      try {
        if (!memory.take(size - old.length)) {
          drop(memory.refusal(length, Memory.ASSEMBLY.setting()));
          memory.quota().want();
          return null;
        }
        taken = size;
        byte[] more = heap.apply(size);
        System.arraycopy(old, 0, more, 0, filled);
        return more;
      } catch (OutOfMemoryError e) {
        drop(NO_HEAP);
        return null;
      }
    }

    boolean isStalled() {
      return open && bytes != null && progress.hasStopped(filled, bytes.length);
    }

    /** Drops the message. Its remaining fragments are read and dropped. */
    void drop(String why) {
      release();
      bytes = null;
      dropped = why;
    }

    void free() {
      release();
      bytes = NOTHING;
      open = false;
    }

    private void release() {
      int given = taken;
      taken = 0;
      if (given > 0) {
        memory.give(given);
      }
    }
  }
}
