package io.verbena.core.sequence;

import io.verbena.api.wire.WireException;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.link.memory.Progress;
import io.verbena.link.memory.Quota;
import java.nio.ByteBuffer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What one end of a session has received, in order: checks numbers and puts fragments together. A
 * frame that has its number was taken, whatever this end runs out of behind that: its message alone
 * is dropped, or the peer's next frame would seem to be out of order.
 */
public final class Inbox {
  /** So many frames are owed no acknowledgement of their own. */
  private static final int MOST_OWED = 64;

  private static final int FIRST_ALLOCATION = 64 * 1024;

  /** Why a message was dropped that the heap had no room for. */
  public static final String NO_HEAP = "the heap is full: raise -Xmx, or send less at once";

  private final int maxMessageBytes;
  private final Message message = new Message();
  private final Assembly assembly;
  private long received;
  private int owed;

  /**
   * An empty inbox.
   *
   * @param maxMessageBytes the longest body to accept
   * @param memory what long messages may take while they are put together
   */
  public Inbox(int maxMessageBytes, Quota.Share memory) {
    this(maxMessageBytes, memory, byte[]::new);
  }

  /** An inbox whose heap may have no room. */
  Inbox(int maxMessageBytes, Quota.Share memory, IntFunction<byte[]> heap) {
    this.maxMessageBytes = maxMessageBytes;
    this.assembly = new Assembly(memory, heap);
  }

  /** Returns the highest number received in order. */
  public long received() {
    return received;
  }

  /** Returns whether frames have come since the last acknowledgement left. */
  public boolean owes() {
    return owed > 0;
  }

  /** Returns whether so many have come that an acknowledgement waits for no other frame. */
  public boolean owesMuch() {
    return owed >= MOST_OWED;
  }

  /** An acknowledgement of all that was received is on its way. */
  public void acknowledged() {
    owed = 0;
  }

  /**
   * Takes one sequenced frame.
   *
   * @param first its header's first word
   * @param timeLeft of a request
   * @return the message that it is, or makes whole, until that is {@linkplain Message#release
   *     released}; null where there is none yet
   * @throws WireException if the peer broke the protocol
   */
  public @Nullable Message accept(
      FrameKind kind, long first, int timeLeft, ByteBuffer buffer, int from, int to) {
    long sequence = FrameHeader.near(received, FrameHeader.sequence(first));
    if (sequence <= received) {
      // Sent again over a new link although it had arrived: nothing to do but to say so.
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
        throw new WireException("a fragment without a first one");
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
          "a message of " + length + " bytes, where at most " + maxMessageBytes + " are taken");
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

  /** The session starts anew or ends: forgets everything. */
  public void restart() {
    received = 0;
    owed = 0;
    assembly.free();
  }

  /** Notes how far the message is that is being put together. */
  public void mark() {
    assembly.progress.mark(assembly.filled);
  }

  /** Lets go of the message that is being put together, if it is where it was marked. */
  public void dropStalled(String why) {
    if (assembly.isStalled()) {
      assembly.drop(why);
    }
  }

  /**
   * The message that is being put together, if any. It grows with what arrives, not with what was
   * announced.
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

    /** What it has of the memory that sessions share. */
    int taken;

    /** Why there are no bytes any more. */
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

    /** It is whole: hands on its body, and what that counts for. */
    void hand(Message message) {
      byte[] whole = bytes;
      open = false; // whatever becomes of it
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
          drop(memory.refusal(length, "maxAssemblyBytes"));
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

    /** What is still to come is read, and dropped. */
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
