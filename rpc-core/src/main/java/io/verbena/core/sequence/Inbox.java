package io.verbena.core.sequence;

import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.memory.Progress;
import io.verbena.core.memory.Quota;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What one end of a session has received, in order: checks numbers and puts fragments together. A
 * frame that has its number was taken, whatever this end runs out of behind that: its message alone
 * is dropped, or the peer's next frame would seem to be out of order.
 */
public final class Inbox {
  private static final int FIRST_ALLOCATION = 64 * 1024;

  /** Why a message was dropped that the heap had no room for. */
  public static final String NO_HEAP = "the heap is full: raise -Xmx, or send less at once";

  private final int maxMessageBytes;
  private final Receiver receiver;
  private final Assembly assembly;
  private long received;
  private int owed;

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
    this(maxMessageBytes, memory, byte[]::new, receiver);
  }

  /** An inbox whose heap may have no room. */
  Inbox(int maxMessageBytes, Quota.Share memory, IntFunction<byte[]> heap, Receiver receiver) {
    this.maxMessageBytes = maxMessageBytes;
    this.receiver = receiver;
    this.assembly = new Assembly(memory, heap);
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
      return assembly.isOpen() ? append(buffer, body, to) : "a fragment without a first one";
    }
    if (assembly.isOpen()) {
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
    assembly.begin(kind, flags, timeLeft, call, length);
    return append(buffer, body + Integer.BYTES, to);
  }

  private @Nullable String append(ByteBuffer buffer, int body, int to) {
    int piece = to - body;
    if (piece == 0 || piece > assembly.length - assembly.filled) {
      return "fragments of " + (assembly.filled + piece) + " bytes for " + assembly.length;
    }
    assembly.append(buffer, body, piece);
    if (assembly.filled == assembly.length) {
      deliver();
    }
    return null;
  }

  /**
   * Leaves the message that is being delivered, and what it counts for, to its receiver.
   *
   * @return gives its memory back; null if it is a frame that its link has only lent
   */
  public @Nullable Runnable handOver() {
    int bytes = assembly.isOpen() ? 0 : assembly.taken;
    if (bytes == 0) {
      return null;
    }
    Quota.Share share = assembly.memory;
    Runnable free = () -> share.give(bytes);
    assembly.taken = 0; // last: there may be no room for what gives it back
    return free;
  }

  private void deliver() {
    FrameKind kind = Objects.requireNonNull(assembly.kind);
    int length = assembly.length;
    byte[] bytes = assembly.bytes;
    assembly.kind = null; // whatever becomes of it
    try {
      if (bytes == null) {
        receiver.onDropped(kind, assembly.call, length, assembly.dropped);
      } else {
        ByteBuffer whole = ByteBuffer.wrap(bytes);
        receiver.onMessage(
            kind, assembly.flags, assembly.timeLeft, assembly.call, whole, 0, length);
      }
    } finally {
      assembly.free();
    }
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

    /** Null while there is no message. */
    @Nullable FrameKind kind;

    int flags;
    int timeLeft;
    long call;
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

    boolean isOpen() {
      return kind != null;
    }

    void begin(FrameKind kind, int flags, int timeLeft, long call, int length) {
      this.kind = kind;
      this.flags = flags;
      this.timeLeft = timeLeft;
      this.call = call;
      this.length = length;
      filled = 0;
      bytes = NOTHING;
      progress.begin();
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
      return isOpen() && bytes != null && progress.hasStopped(filled, bytes.length);
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
      kind = null;
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
