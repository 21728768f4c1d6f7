package io.verbena.core.session;

import io.verbena.core.frame.FrameKind;
import io.verbena.core.loop.Command;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.loop.Timers;
import io.verbena.core.sequence.Inbox;
import io.verbena.core.sequence.Outbox;
import org.jspecify.annotations.Nullable;

/**
 * Sends what a session has to send: at the end of a duty cycle in which there is something, frames
 * and then a chunk of each transfer in turn. On the loop.
 *
 * <p>Every frame that leaves acknowledges what was received. An acknowledgement of its own goes out
 * when many frames are owed one, or when no frame has left for a while.
 */
final class FramePump implements Command, Timers.Timer {
  private static final int CALLS_IN_BATCH = 32;
  private static final int ANSWERS_IN_BATCH = 128;
  private static final int MOST_OWED = 64;
  private static final long LONGEST_DELAY_NANOS = 20_000_000;

  private final SessionImpl session;
  private final EventLoop loop;
  private final SessionLinks links;
  private final Outbox outbox;
  private final Inbox inbox;
  private boolean due;
  private long acknowledgeTimer = Timers.NONE;

  FramePump(SessionImpl session, SessionLinks links, Outbox outbox, Inbox inbox) {
    this.session = session;
    this.loop = session.loop();
    this.links = links;
    this.outbox = outbox;
    this.inbox = inbox;
  }

  // ---- when ----

  /** Sends what there is to send, at the end of this duty cycle. */
  void schedule() {
    if (!due) {
      loop.atCycleEnd(this);
      due = true; // not before: where the heap is full, the next one tries again
    }
  }

  /** A frame has been taken: sends what that lets go on, or makes up a batch. */
  void frameTaken() {
    if (due) {
      if (hasBatch()) {
        run();
      }
    } else if (inbox.owed() >= MOST_OWED
        || !outbox.isAllSent()
        || links.hasWordsDue()
        || session.mayGoOn()) {
      schedule();
    } else {
      acknowledgeLater();
    }
  }

  /**
   * Returns whether so much waits that the peer is better given it now, in the middle of a duty
   * cycle, to work on meanwhile; else the two ends work by turns. Of its own calls an end sends the
   * first half while it makes the second. Measured on loopback, with 64 and 256 calls outstanding:
   * that makes a third more calls; each write costs as much as about ten.
   */
  private boolean hasBatch() {
    int calls = session.answersAwaited();
    int batch = calls == 0 ? ANSWERS_IN_BATCH : Math.max(CALLS_IN_BATCH, calls / 2);
    return outbox.waiting() >= batch;
  }

  // ---- what ----

  /** Sends what there is to send. */
  @Override
  public void run() {
    due = false;
    if (!session.maySend()) {
      return;
    }
    links.sayWhatIsDue();
    sendFrames();
    int waiting = outbox.waiting();
    session.afterFrames();
    if (outbox.waiting() > waiting) {
      sendFrames(); // what was said of the bulk that has just left
    }
    flush(links.control());
    if (links.out() != links.control()) {
      flush(links.out());
    }
  }

  private void sendFrames() {
    SessionLink out = links.out();
    if (out == null) {
      return;
    }
    if (!links.isChanging() && outbox.pump(out.link(), out.epoch(), inbox.received()) > 0) {
      inbox.acknowledged();
    }
    if (inbox.owed() >= MOST_OWED) {
      acknowledge();
    } else {
      acknowledgeLater();
    }
  }

  private static void flush(@Nullable SessionLink sessionLink) {
    if (sessionLink != null) {
      sessionLink.link().flush();
    }
  }

  // ---- acknowledgements ----

  /** Sees that what is owed does not wait for ever, where nothing is to be sent. */
  private void acknowledgeLater() {
    if (acknowledgeTimer == Timers.NONE && inbox.owed() > 0) {
      acknowledgeTimer = loop.timers().schedule(loop.now() + LONGEST_DELAY_NANOS, this);
    }
  }

  @Override
  public void onTimer(long nowNanos) {
    acknowledgeTimer = Timers.NONE;
    if (inbox.owed() > 0) {
      acknowledge();
    }
  }

  /** Sends an acknowledgement of its own; where the link takes nothing now, it is still owed. */
  private void acknowledge() {
    SessionLink out = links.out();
    if (out != null && out.say(FrameKind.ACK)) {
      inbox.acknowledged();
    }
  }

  /** There is no link to acknowledge by. */
  void stop() {
    loop.timers().cancel(acknowledgeTimer);
    acknowledgeTimer = Timers.NONE;
  }
}
