package io.verbena.core.sequence;

import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.memory.Progress;
import io.verbena.core.memory.Quota;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What one end of a session has received, in order: checks numbers and puts fragments together. */
public final class Inbox {
  private static final int FIRST_ALLOCATION = 64 * 1024;

  private final int maxMessageBytes;
  private final Quota.Share memory;
  private final Receiver receiver;
  private long received;
  private int owed;
  private @Nullable Assembly assembly;

  /** Takes whole messages. */
  public interface Receiver {
    /**
     * A message's body, lent until this method returns.
     *
     * @param flags what stands in its body: those of its header
     * @param timeLeft of a request
     * @param call which it is of, and which method: the third word of its header
     */
    void onMessage(
        FrameKind kind, int flags, int timeLeft, long call, ByteBuffer buffer, int from, int to);

    /** A message that was dropped on arrival because there was no memory for it, or no more. */
    void onDropped(FrameKind kind, long call, int length, String why);
  }

  /**
   * An empty inbox.
   *
   * @param maxMessageBytes the longest body to accept
   * @param memory what long messages may take while they are put together
   */
  public Inbox(int maxMessageBytes, Quota.Share memory, Receiver receiver) {
    this.maxMessageBytes = maxMessageBytes;
    this.memory = memory;
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
   * @param first its header's first word
   * @param timeLeft of a request
   * @return what is wrong with it, or null
   */
  public @Nullable String accept(
      FrameKind kind, long first, int timeLeft, ByteBuffer buffer, int from, int to) {
    long sequence = FrameHeader.near(received, FrameHeader.sequence(first));
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
    int flags = FrameHeader.flags(first);
    long call = FrameHeader.third(buffer, from);
    if ((flags & FrameHeader.FLAG_FIRST_FRAGMENT) != 0) {
      return begin(kind, flags, timeLeft, call, buffer, body, to);
    }
    receiver.onMessage(kind, flags, timeLeft, call, buffer, body, to);
    return null;
  }

  private @Nullable String begin(
      FrameKind kind, int flags, int timeLeft, long call, ByteBuffer buffer, int body, int to) {
    if (to - body < Integer.BYTES) {
      return "a first fragment without the message's length";
    }
    int length = buffer.getInt(body);
    if (length < 0 || length > maxMessageBytes) {
      return "a message of " + length + " bytes, where at most " + maxMessageBytes + " are taken";
    }
    assembly = new Assembly(memory, kind, flags, timeLeft, call, length);
    return append(assembly, buffer, body + Integer.BYTES, to);
  }

  private @Nullable String append(Assembly message, ByteBuffer buffer, int body, int to) {
    int piece = to - body;
    if (piece == 0 || piece > message.length - message.filled) {
      return "fragments of " + (message.filled + piece) + " bytes for " + message.length;
    }
    message.append(buffer, body, piece);
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
        receiver.onDropped(message.kind, message.call, message.length, message.dropped);
      } else {
        receiver.onMessage(
            message.kind,
            message.flags,
            message.timeLeft,
            message.call,
            ByteBuffer.wrap(bytes),
            0,
            message.length);
      }
    } finally {
      message.free();
    }
  }

  /** The session starts anew or ends: forgets everything. */
  public void restart() {
    received = 0;
    owed = 0;
    if (assembly != null) {
      assembly.free();
      assembly = null;
    }
  }

  /** Notes how far the message is that is being put together. */
  public void mark() {
    if (assembly != null) {
      assembly.progress.mark(assembly.filled);
    }
  }

  /** Lets go of the message that is being put together, if it is where it was marked. */
  public void dropStalled(String why) {
    Assembly message = assembly;
    if (message != null && message.isStalled()) {
      message.drop(why);
    }
  }

  /**
   * A message that is being put together. It grows with what arrives, not with what was announced.
   */
  private static final class Assembly {
    final Quota.Share memory;
    final FrameKind kind;
    final int flags;
    final int timeLeft;
    final long call;
    final int length;
    final Progress progress = new Progress();
    int filled;
    byte @Nullable [] bytes = new byte[0];

    /** Why there are no bytes any more. */
    String dropped = "";

    Assembly(Quota.Share memory, FrameKind kind, int flags, int timeLeft, long call, int length) {
      this.memory = memory;
      this.kind = kind;
      this.flags = flags;
      this.timeLeft = timeLeft;
      this.call = call;
      this.length = length;
    }

    void append(ByteBuffer from, int index, int count) {
      if (bytes != null && filled + count > bytes.length) {
        grow(bytes, filled + count);
      }
      if (bytes != null) {
        from.get(index, bytes, filled, count);
      }
      filled += count;
    }

    private void grow(byte[] old, int needed) {
      long doubled = Math.max(FIRST_ALLOCATION, 2L * old.length);
      int size = (int) Math.min(length, Math.max(needed, doubled));
      if (memory.take(size - old.length)) {
        bytes = Arrays.copyOf(old, size);
      } else {
        drop(memory.refusal(length, "maxAssemblyBytes"));
        memory.quota().want();
      }
    }

    boolean isStalled() {
      return bytes != null && progress.hasStopped(filled, bytes.length);
    }

    /** What is still to come is read, and dropped. */
    void drop(String why) {
      free();
      bytes = null;
      dropped = why;
    }

    void free() {
      if (bytes != null) {
        memory.give(bytes.length);
        bytes = new byte[0];
      }
    }
  }
}
