package io.verbena.core.sequence;

import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.memory.MemoryBudget;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What one end of a session has received, in order: checks numbers and puts fragments together. */
public final class Inbox {
  private static final int FIRST_ALLOCATION = 64 * 1024;

  private final int maxMessageBytes;
  private final MemoryBudget budget;
  private final Receiver receiver;
  private long received;
  private int owed;
  private @Nullable Assembly assembly;

  /** Takes whole messages. */
  public interface Receiver {
    /**
     * A message's body, lent until this method returns.
     *
     * @param parts whether values travel beside it
     */
    void onMessage(FrameKind kind, boolean parts, long callId, ByteBuffer buffer, int from, int to);

    /** A message that was dropped on arrival because there was no memory for it. */
    void onDropped(FrameKind kind, long callId, int length);
  }

  /**
   * An empty inbox.
   *
   * @param maxMessageBytes the longest body to accept
   * @param budget what long messages may take while they are put together
   */
  public Inbox(int maxMessageBytes, MemoryBudget budget, Receiver receiver) {
    this.maxMessageBytes = maxMessageBytes;
    this.budget = budget;
    this.receiver = receiver;
  }

  /** Returns the highest number received in order. */
  public long received() {
    return received;
  }

  /** Returns how many frames have come since the last acknowledgement left. */
  public int owed() {
    return owed;
  }

  /** An acknowledgement of all that was received is on its way. */
  public void acknowledged() {
    owed = 0;
  }

  /**
   * Takes one sequenced frame.
   *
   * @return what is wrong with it, or null
   */
  public @Nullable String accept(FrameKind kind, int flags, ByteBuffer buffer, int from, int to) {
    long sequence = FrameHeader.sequence(buffer, from);
    if (sequence <= received) {
      // Sent again over a new link although it had arrived: nothing to do but to say so.
      owed++;
      return null;
    }
    if (sequence != received + 1) {
      return "frame " + sequence + " came after frame " + received;
    }
    received = sequence;
    owed++;
    int body = from + FrameHeader.BYTES;
    if (kind == FrameKind.FRAGMENT) {
      return assembly == null
          ? "a fragment without a first one"
          : append(assembly, buffer, body, to);
    }
    if (assembly != null) {
      return kind + " between the fragments of another message";
    }
    boolean parts = (flags & FrameHeader.FLAG_PARTS) != 0;
    long callId = FrameHeader.callId(buffer, from);
    if ((flags & FrameHeader.FLAG_FIRST_FRAGMENT) != 0) {
      return begin(kind, parts, callId, buffer, body, to);
    }
    receiver.onMessage(kind, parts, callId, buffer, body, to);
    return null;
  }

  private @Nullable String begin(
      FrameKind kind, boolean parts, long callId, ByteBuffer buffer, int body, int to) {
    if (to - body < Integer.BYTES) {
      return "a first fragment without the message's length";
    }
    int length = buffer.getInt(body);
    if (length < 0 || length > maxMessageBytes) {
      return "a message of " + length + " bytes, where at most " + maxMessageBytes + " are taken";
    }
    assembly = new Assembly(kind, parts, callId, length);
    return append(assembly, buffer, body + Integer.BYTES, to);
  }

  private @Nullable String append(Assembly message, ByteBuffer buffer, int body, int to) {
    int piece = to - body;
    if (piece == 0 || piece > message.length - message.filled) {
      return "fragments of " + (message.filled + piece) + " bytes for " + message.length;
    }
    message.append(buffer, body, piece, budget);
    if (message.filled == message.length) {
      assembly = null;
      deliver(message);
    }
    return null;
  }

  private void deliver(Assembly message) {
    try {
      byte[] bytes = message.bytes;
      if (bytes == null) {
        receiver.onDropped(message.kind, message.callId, message.length);
      } else {
        receiver.onMessage(
            message.kind, message.parts, message.callId, ByteBuffer.wrap(bytes), 0, message.length);
      }
    } finally {
      message.free(budget);
    }
  }

  /** The session starts anew or ends: forgets everything. */
  public void restart() {
    received = 0;
    owed = 0;
    if (assembly != null) {
      assembly.free(budget);
      assembly = null;
    }
  }

  /**
   * A message that is being put together. It grows with what arrives, not with what was announced.
   */
  private static final class Assembly {
    final FrameKind kind;
    final boolean parts;
    final long callId;
    final int length;
    int filled;
    byte @Nullable [] bytes = new byte[0];

    Assembly(FrameKind kind, boolean parts, long callId, int length) {
      this.kind = kind;
      this.parts = parts;
      this.callId = callId;
      this.length = length;
    }

    void append(ByteBuffer from, int index, int count, MemoryBudget budget) {
      if (bytes != null && filled + count > bytes.length) {
        grow(bytes, filled + count, budget);
      }
      if (bytes != null) {
        from.get(index, bytes, filled, count);
      }
      filled += count;
    }

    private void grow(byte[] old, int needed, MemoryBudget budget) {
      long doubled = Math.max(FIRST_ALLOCATION, 2L * old.length);
      int size = (int) Math.min(length, Math.max(needed, doubled));
      if (budget.reserve(size - old.length)) {
        bytes = Arrays.copyOf(old, size);
      } else {
        free(budget);
        bytes = null; // the rest is read and dropped
      }
    }

    void free(MemoryBudget budget) {
      if (bytes != null) {
        budget.release(bytes.length);
        bytes = new byte[0];
      }
    }
  }
}
