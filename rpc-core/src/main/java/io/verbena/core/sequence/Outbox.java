package io.verbena.core.sequence;

import io.verbena.codec.LargeValues;
import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.PeerLimits;
import io.verbena.core.loop.EventLoop;
import io.verbena.link.Link;
import io.verbena.link.SendResult;
import io.verbena.link.memory.Slot;
import io.verbena.link.memory.SlotPool;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sending side of a session. It sends messages in order.
 *
 * <pre>
 *   add() → waiting → numbered, kept ──────────────→ acknowledged: slot goes back to its pool
 *                        └→ on the link, again on the next link if not acknowledged
 * </pre>
 */
public final class Outbox {
  /** The largest number of unacknowledged frames. The peer acknowledges far sooner (see Inbox). */
  static final int MOST_UNACKNOWLEDGED = 1024;

  private static final int FIRST_PLACES = 16;

  /**
   * The number of fragments that never wait for the pool, which other sessions may have emptied.
   */
  private static final int ALWAYS_SENT = 4;

  private final SlotPool fragmentSlots;
  private final EventLoop loop;
  private final ArrayDeque<Outgoing> waiting = new ArrayDeque<>();

  /**
   * Unacknowledged frames by the lowest bits of their numbers. The array grows with their number.
   */
  private @Nullable Slot[] kept = new @Nullable Slot[FIRST_PLACES];

  private @Nullable Fragmented fragmented;
  private PeerLimits peer = new PeerLimits(Integer.MAX_VALUE, PeerLimits.LEAST_FRAME_BYTES, 0);

  // The limit that each message reads.
  private int mostMessageBytes = peer.maxMessageBytes();
  private int mostFrameBytes = peer.maxFrameBytes();

  /**
   * The link for which a frame was last cut, and the length of the longest frame that both it and
   * the peer accept.
   */
  private @Nullable Link fitted;

  private int fittingBytes;

  private long lastNumbered;
  private long lastSent;

  /**
   * The highest {@link #lastSent} so far. Frames may be sent again, and may be acknowledged before
   * that.
   */
  private long everSent;

  private long acknowledged;
  private boolean peerLeft;
  private long keptBytes;
  private int answers;
  private long answerBytes;

  public Outbox(SlotPool fragmentSlots, EventLoop loop) {
    this.fragmentSlots = fragmentSlots;
    this.loop = loop;
  }

  /** Sets the peer's limits. Nothing is sent before. */
  public void peerLimits(PeerLimits limits) {
    peer = limits;
    mostMessageBytes = limits.maxMessageBytes();
    mostFrameBytes = limits.maxFrameBytes();
    fitted = null;
  }

  public PeerLimits peerLimits() {
    return peer;
  }

  /** Adds a message after all others. */
  public void add(Outgoing message) {
    waiting.addLast(message);
    int bytes = message.answerBytes();
    if (bytes > 0) {
      answers++;
      answerBytes += bytes;
    }
  }

  private @Nullable Outgoing next() {
    if (waiting.isEmpty()) {
      return null;
    }
    Outgoing message = waiting.removeFirst();
    int bytes = answers == 0 ? 0 : message.answerBytes();
    if (bytes > 0) {
      answers--;
      answerBytes -= bytes;
    }
    return message;
  }

  public int waiting() {
    return waiting.size();
  }

  public int answersWaiting() {
    return answers;
  }

  /** Returns the highest sequence number that was handed to a link. */
  public long lastSent() {
    return lastSent;
  }

  /** Returns the highest sequence number that the peer has received. */
  public long acknowledged() {
    return acknowledged;
  }

  /** The peer has left the session, so it takes no frame beyond those that it has acknowledged. */
  public void peerLeft() {
    peerLeft = true;
  }

  public boolean hasPeerLeft() {
    return peerLeft;
  }

  /** Returns the bytes that the peer has yet to receive: waiting answers and kept frames. */
  public long owedBytes() {
    return keptBytes + answerBytes + (fragmented == null ? 0 : fragmented.whole.length());
  }

  /** Returns whether everything was sent, acknowledged or not. */
  public boolean isAllSent() {
    return lastSent == lastNumbered && waiting.isEmpty() && fragmented == null;
  }

  /** Returns whether nothing waits and nothing is unacknowledged. */
  public boolean isEmpty() {
    return waiting.isEmpty() && fragmented == null && acknowledged == lastNumbered;
  }

  /**
   * Sends as many frames as the link accepts now.
   *
   * @param epoch of the link
   * @param received the highest number received, which these frames acknowledge
   * @return the number of frames that the link accepted
   */
  public int pump(Link link, int epoch, long received) {
    int sent = 0;
    while (true) {
      if (lastSent == lastNumbered && !numberNext(link)) {
        return sent;
      }
      if (!sendNext(link, epoch, received)) {
        return sent;
      }
      sent++;
    }
  }

  /**
   * Sends numbered frames only. They were cut for their link and may not fit another.
   *
   * @param epoch of the link
   * @param received the highest number received
   * @return whether all of them were sent
   */
  public boolean finish(Link link, int epoch, long received) {
    while (lastSent < lastNumbered) {
      if (!sendNext(link, epoch, received)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Writes the header of a frame when it is handed to a link, with the parts that are known only
   * then.
   */
  public static void stamp(Slot slot, int epoch, long sequence, long received, EventLoop loop) {
    long deadline = slot.deadlineNanos();
    FrameHeader.write(
        slot.buffer(),
        slot.first(),
        epoch,
        sequence,
        received,
        deadline == Slot.NO_DEADLINE
            ? FrameHeader.UNTOLD
            : FrameHeader.timeLeft(deadline - loop.now()),
        slot.third());
  }

  private boolean sendNext(Link link, int epoch, long received) {
    Slot slot = kept(lastSent + 1);
    stamp(slot, epoch, lastSent + 1, received, loop);
    if (link.send(slot) != SendResult.SENT) {
      return false;
    }
    lastSent++;
    everSent = Math.max(everSent, lastSent);
    return true;
  }

  /** Assigns the next frame its number. Returns false if there is none or it must wait. */
  private boolean numberNext(Link link) {
    while (lastNumbered - acknowledged < MOST_UNACKNOWLEDGED) {
      if (fragmented != null) {
        return numberNextFragment(fragmented, link);
      }
      Outgoing message = next();
      if (message == null) {
        return false;
      }
      Slot slot = message.takeSlot();
      int length = slot == null ? 0 : slot.length();
      if (slot != null && fits(message, slot, length)) {
        if (length <= Math.min(slot.capacity(), maxFrame(link))) {
          keep(slot, length);
          numbered(message, slot);
          return true;
        }
        fragmented = new Fragmented(message, slot);
      }
    }
    return false;
  }

  private boolean fits(Outgoing message, Slot slot, int length) {
    int body = length - FrameHeader.BYTES;
    if (body <= mostMessageBytes) {
      return true;
    }
    slot.release();
    message.tooLong(body, mostMessageBytes);
    return false;
  }

  private int maxFrame(Link link) {
    if (link != fitted) {
      fitted = link;
      fittingBytes = Math.min(link.capabilities().maxFrameBytes(), mostFrameBytes);
    }
    return fittingBytes;
  }

  private boolean numberNextFragment(Fragmented message, Link link) {
    Slot piece = fragmentSlots.claim();
    if (piece == null && lastNumbered - acknowledged >= ALWAYS_SENT) {
      return false; // the next acknowledgement tries again
    }
    if (piece == null) {
      piece = Slot.unpooled(fragmentSlots.slotBytes());
    }
    message.cut(piece, Math.min(piece.capacity(), maxFrame(link)));
    keep(piece, piece.length());
    if (message.isDone()) {
      fragmented = null;
      numbered(message.owner, message.whole);
      message.whole.release();
    }
    return true;
  }

  private void numbered(Outgoing message, Slot whole) {
    LargeValues largeValues = whole.takeLargeValues();
    if (largeValues != null) {
      message.sendLargeValues(largeValues);
    }
    message.numbered(lastNumbered);
  }

  private void keep(Slot slot, int length) {
    if (lastNumbered - acknowledged == kept.length) {
      grow();
    }
    lastNumbered++;
    kept[index(lastNumbered)] = slot;
    keptBytes += length;
  }

  private void grow() {
    @Nullable Slot[] before = kept;
    kept = new @Nullable Slot[2 * before.length];
    for (long i = acknowledged + 1; i <= lastNumbered; i++) {
      kept[index(i)] = before[(int) (i & (before.length - 1))];
    }
  }

  private Slot kept(long sequence) {
    Slot slot = kept[index(sequence)];
    if (slot == null) {
      throw new AssertionError("frame " + sequence + " is not kept");
    }
    return slot;
  }

  private int index(long sequence) {
    return (int) (sequence & (kept.length - 1));
  }

  /**
   * Releases all frames up to a number, of which the peer has sent the lower half.
   *
   * @return false if the peer acknowledges frames that were never sent
   */
  public boolean acknowledgeNear(int lower) {
    return acknowledge(FrameHeader.near(acknowledged, lower));
  }

  /**
   * Releases all frames up to a number.
   *
   * @return false if the peer acknowledges frames that were never sent
   */
  public boolean acknowledge(long sequence) {
    if (sequence > everSent) {
      return false;
    }
    lastSent = Math.max(lastSent, sequence);
    while (acknowledged < sequence) {
      acknowledged++;
      Slot slot = kept(acknowledged);
      keptBytes -= slot.length();
      kept[index(acknowledged)] = null;
      slot.release();
    }
    return true;
  }

  /**
   * Continues over a new link. All frames that the peer has not received are sent again.
   *
   * @param received the highest number that the peer has received
   * @return false if the peer claims frames that were never sent, or forgot frames that it had
   *     acknowledged
   */
  public boolean resume(long received) {
    if (received < acknowledged || !acknowledge(received)) {
      return false;
    }
    lastSent = received;
    return true;
  }

  /**
   * Forgets everything and starts again at 1, because the peer has lost the session. See {@link
   * #takeUnsent}.
   */
  public void restart() {
    clear();
    lastNumbered = 0;
    lastSent = 0;
    everSent = 0;
    acknowledged = 0;
    peerLeft = false;
  }

  /** Removes and returns the messages that were never sent and may go to the next peer. */
  public List<Outgoing> takeUnsent() {
    List<Outgoing> unsent = waiting.stream().filter(Outgoing::outlivesPeer).toList();
    waiting.removeIf(Outgoing::outlivesPeer);
    return unsent;
  }

  /** Removes the waiting messages that need not be sent any more. */
  public void dropDone() {
    waiting.removeIf(Outgoing::isDone);
  }

  public void clear() {
    drop();
    Outgoing message;
    while ((message = next()) != null) {
      Slot slot = message.takeSlot();
      if (slot != null) {
        slot.release();
      }
    }
  }

  private void drop() {
    while (acknowledged < lastNumbered) {
      acknowledged++;
      kept(acknowledged).release();
      kept[index(acknowledged)] = null;
    }
    keptBytes = 0;
    if (fragmented != null) {
      fragmented.whole.release();
      fragmented = null;
    }
  }

  /** A message that is being cut into frames. */
  private static final class Fragmented {
    final Outgoing owner;
    final Slot whole;
    private int position = FrameHeader.BYTES;

    Fragmented(Outgoing owner, Slot whole) {
      this.owner = owner;
      this.whole = whole;
    }

    boolean isDone() {
      return position == whole.length();
    }

    void cut(Slot piece, int frameBytes) {
      ByteBuffer from = whole.content();
      ByteBuffer to = piece.buffer();
      int body = FrameHeader.BYTES;
      if (position == FrameHeader.BYTES) {
        piece.header(
            FrameHeader.withFlags(whole.first(), FrameHeader.FLAG_FIRST_FRAGMENT), whole.third());
        piece.deadlineNanos(whole.deadlineNanos());
        to.putInt(body, whole.length() - FrameHeader.BYTES);
        body += Integer.BYTES;
      } else {
        piece.header(FrameHeader.first(FrameKind.FRAGMENT, 0), whole.third());
      }
      int length = Math.min(frameBytes - body, whole.length() - position);
      to.put(body, from, position, length);
      position += length;
      piece.length(body + length);
    }
  }
}
