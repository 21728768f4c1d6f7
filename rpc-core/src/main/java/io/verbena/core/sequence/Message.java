package io.verbena.core.sequence;

import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.link.memory.Quota;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A message of the peer's while it is taken: its header's words, and where its body is. An {@link
 * Inbox} has one object for all that it hands on, so that none is kept longer than its body is
 * lent: until whoever takes it returns. On the loop.
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

  /** Why its body was dropped; null where it is here. */
  private @Nullable String dropped;

  /** What its body counts for in a session's share of memory; 0: its link has lent it. */
  private int counted;

  private Quota.@Nullable Share share;

  /** What came beside it, and what gives that and its body back. */
  private MemorySegment @Nullable [] values;

  private @Nullable Runnable free;

  /** A message that is to be {@linkplain #set set}. */
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

  /** Returns one with the same header that waits for the values beside it, in memory of its own. */
  public Message waiting(byte[] body) {
    Message kept = new Message();
    kept.set(kind, flags & ~FrameHeader.FLAG_PARTS, timeLeft, call);
    kept.body(ByteBuffer.wrap(body), 0, body.length);
    return kept;
  }

  /**
   * The values beside it have come.
   *
   * @param timeLeft what is left of it by now
   * @param free gives back the memory of both
   */
  public void whole(MemorySegment[] values, int timeLeft, Runnable free) {
    this.values = values;
    this.timeLeft = timeLeft;
    this.free = free;
  }

  /** Returns what it is. */
  public FrameKind kind() {
    return kind;
  }

  /** Returns whether its body has what a flag of its header says. */
  public boolean has(int flag) {
    return (flags & flag) != 0;
  }

  /**
   * Returns whether what is to be read of its body takes more than so many bytes, or may when it is
   * not compressed any more.
   *
   * @param to where that ends
   */
  public boolean takesMore(int bytes, int to) {
    return to - from > bytes || has(FrameHeader.FLAG_COMPRESSED);
  }

  /** Returns the {@linkplain FrameHeader#timeLeft time left} of a request. */
  public int timeLeft() {
    return timeLeft;
  }

  /** Returns the number of the call that it is of, or of the transfer. */
  public long callId() {
    return FrameHeader.callId(call);
  }

  /** Returns the place of the method that a request is for. */
  public int method() {
    return FrameHeader.method(call);
  }

  /** Returns what its body lies in. */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Returns where its body begins. */
  public int from() {
    return from;
  }

  /** Returns where its body ends. */
  public int to() {
    return to;
  }

  /** Returns how many bytes its body has, or had. */
  public int length() {
    return to - from;
  }

  /** Returns whether all of it is here: its body was not dropped, and waits for no values. */
  public boolean isWhole() {
    return dropped == null && !has(FrameHeader.FLAG_PARTS);
  }

  /** Returns why there was no memory for its body; null where it is here. */
  public @Nullable String dropped() {
    return dropped;
  }

  /** Returns what came beside it; null: nothing. */
  public MemorySegment @Nullable [] values() {
    return values;
  }

  /**
   * Leaves its body, and what that counts for, to whoever takes it.
   *
   * @return gives the memory back, on any thread; null if its link has only lent it
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
    counted = 0; // last: there may be no room for what gives it back
    return taken;
  }

  /** It has been taken: gives back what nobody has kept. */
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
