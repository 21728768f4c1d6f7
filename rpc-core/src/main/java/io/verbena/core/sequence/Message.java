package io.verbena.core.sequence;

import io.verbena.api.Metadata;
import io.verbena.codec.MetadataBlock;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.link.memory.Quota;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A message of the peer during delivery: the words of its header and the position of its body. An
 * {@link Inbox} reuses one object for all messages. So a message, and its body, are valid only
 * until the receiving method returns. On the loop.
 */
public final class Message {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private FrameKind kind = FrameKind.ACK;
  private int flags;
  private int timeLeft;
  private long call;
  private ByteBuffer buffer = NOTHING;
  private int from;
  private int to;

  /** The reason why its body was dropped; null if it is here. */
  private @Nullable String dropped;

  /** The shared memory that its body counts for; 0 if the link owns the body. */
  private int counted;

  private Quota.@Nullable Share share;

  /** Its large values, and the action that releases them and its body. */
  private MemorySegment @Nullable [] values;

  private @Nullable Runnable free;

  /** Makes a message without content; see {@link #set}. */
  Message() {}

  void set(FrameKind kind, int flags, int timeLeft, long call) {
    this.kind = kind;
    this.flags = flags;
    this.timeLeft = timeLeft;
    this.call = call;
    dropped = null;
  }

  void body(ByteBuffer buffer, int from, int to) {
    this.buffer = buffer;
    this.from = from;
    this.to = to;
  }

  void count(Quota.Share share, int bytes) {
    this.share = share;
    counted = bytes;
  }

  void dropped(int length, String why) {
    body(NOTHING, 0, length);
    dropped = why;
  }

  /** Returns a copy with the same header and its own memory, which waits for its large values. */
  public Message waiting(byte[] body) {
    Message kept = new Message();
    kept.set(kind, flags & ~FrameHeader.FLAG_LARGE_VALUES, timeLeft, call);
    kept.body(ByteBuffer.wrap(body), 0, body.length);
    return kept;
  }

  /**
   * Completes the message with its large values.
   *
   * @param timeLeft the present time left
   * @param free releases the memory of both
   */
  public void whole(MemorySegment[] values, int timeLeft, Runnable free) {
    this.values = values;
    this.timeLeft = timeLeft;
    this.free = free;
  }

  public FrameKind kind() {
    return kind;
  }

  public boolean has(int flag) {
    return (flags & flag) != 0;
  }

  /**
   * Returns whether the part of its body to read is longer than so many bytes, or may be after
   * decompression.
   *
   * @param to the end of that part
   */
  public boolean takesMore(int bytes, int to) {
    return to - from > bytes || has(FrameHeader.FLAG_COMPRESSED);
  }

  /** Returns the {@linkplain FrameHeader#timeLeft time left} of a request. */
  public int timeLeft() {
    return timeLeft;
  }

  /** Returns the number of its call or transfer. */
  public long callId() {
    return FrameHeader.callId(call);
  }

  /** Returns the index of a request's method. */
  public int method() {
    return FrameHeader.method(call);
  }

  public ByteBuffer buffer() {
    return buffer;
  }

  public int from() {
    return from;
  }

  public int to() {
    return to;
  }

  /** Returns the end of the arguments or the result in its body. Any metadata follows them. */
  public int contentEnd() {
    return has(FrameHeader.FLAG_METADATA) ? MetadataBlock.start(buffer, from, to) : to;
  }

  public Metadata metadata() {
    return has(FrameHeader.FLAG_METADATA)
        ? MetadataBlock.read(buffer, contentEnd(), to)
        : Metadata.EMPTY;
  }

  /** Returns the length of its body in bytes, even if the body was dropped. */
  public int length() {
    return to - from;
  }

  /**
   * Returns whether the message is complete: its body was not dropped, and it waits for no values.
   */
  public boolean isWhole() {
    return dropped == null && !has(FrameHeader.FLAG_LARGE_VALUES);
  }

  /** Returns the reason why there was no memory for its body; null if it is here. */
  public @Nullable String dropped() {
    return dropped;
  }

  /** Returns its large values; null if there are none. */
  public MemorySegment @Nullable [] values() {
    return values;
  }

  /**
   * Leaves the body, with the memory that it counts for, to the caller.
   *
   * @return the action that releases the memory, on any thread; null if the link owns the body
   */
  public @Nullable Runnable takeMemory() {
    Runnable taken = free;
    if (taken != null) {
      free = null;
      return taken;
    }
    int bytes = counted;
    Quota.Share of = share;
    if (bytes == 0 || of == null) {
      return null;
    }
    taken = () -> of.give(bytes);
    counted = 0; // cleared last, because there may be no memory for the action
    return taken;
  }

  /** Ends delivery. Releases the memory that no receiver has kept. */
  public void release() {
    int bytes = counted;
    if (bytes > 0 && share != null) {
      counted = 0;
      share.give(bytes);
    }
    Runnable unused = free;
    free = null;
    values = null;
    buffer = NOTHING;
    if (unused != null) {
      unused.run();
    }
  }
}
