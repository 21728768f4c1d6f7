package io.verbena.core.session;

import io.verbena.core.frame.FrameHeader;
import io.verbena.core.frame.FrameKind;
import io.verbena.core.frame.TimeLeft;
import io.verbena.core.loop.Command;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.memory.Slot;
import io.verbena.core.sequence.Inbox;
import io.verbena.core.sequence.Outbox;
import org.jspecify.annotations.Nullable;

/**
 * Sends what a session has to send: at the end of a duty cycle in which there is something, frames
 * and then a chunk of each transfer in turn. On the loop.
 */
final class FramePump {
  private static final int CALLS_IN_BATCH = 32;
  private static final int ANSWERS_IN_BATCH = 128;

  private final EventLoop loop;
  private final Lanes lanes;
  private final Turns turns;
  private final Outbox outbox;
  private final Acknowledger acknowledger;
  private final Command run = this::run;
  private boolean due;

  /** What a session does in turn with its frames. */
  interface Turns {
    /** Returns whether an acknowledgement may let something go on. */
    boolean areWanted();

    /** A turn begins; returns whether there is a link to send by. */
    boolean begin();

    /** Frames have gone, and bulk is next. */
    void sendBulk();

    /** Returns how many calls of this end are not answered. */
    int calls();

    /** Returns what is received, and owed to be acknowledged. */
    Inbox inbox();
  }

  FramePump(SessionContext context, Lanes lanes, Turns turns) {
    this.loop = context.loop();
    this.lanes = lanes;
    this.turns = turns;
    this.outbox = new Outbox(context.fragmentSlots(), this::stamp);
    this.acknowledger = new Acknowledger(this, loop);
  }

  /** Returns what waits to be sent, or to be acknowledged. */
  Outbox outbox() {
    return outbox;
  }

  // ---- what is only known when a frame goes ----

  private void stamp(Slot slot, long sequence) {
    Lane out = lanes.out();
    if (out != null) {
      stamp(slot, sequence, out);
    }
  }

  /** Writes the header of a frame that goes to a link. */
  void stamp(Slot slot, long sequence, Lane lane) {
    long deadline = slot.deadlineNanos();
    FrameHeader.write(
        slot.buffer(),
        slot.first(),
        lane.epoch(),
        sequence,
        turns.inbox().received(),
        deadline == Slot.NO_DEADLINE ? TimeLeft.UNTOLD : TimeLeft.of(deadline - loop.now()),
        slot.third());
  }

  // ---- when ----

  /** Sends what there is to send, at the end of this duty cycle. */
  void schedule() {
    if (!due) {
      due = true;
      loop.atCycleEnd(run);
    }
  }

  /** A frame has been taken: sends what that lets go on, or makes up a batch. */
  void frameTaken() {
    if (due) {
      if (hasBatch()) {
        run();
      }
    } else if (!outbox.isAllSent()
        || lanes.hasWordsDue()
        || acknowledger.owesMuch()
        || turns.areWanted()) {
      schedule();
    } else {
      acknowledger.acknowledgeLater();
    }
  }

  /**
   * Returns whether so much waits that the peer is better given it now, in the middle of a duty
   * cycle, to work on meanwhile; else the two ends work by turns. Of its own calls an end sends the
   * first half while it makes the second. Measured on loopback, with 64 and 256 calls outstanding:
   * that makes a third more calls; each write costs as much as about ten.
   */
  private boolean hasBatch() {
    int calls = turns.calls();
    int batch = calls == 0 ? ANSWERS_IN_BATCH : Math.max(CALLS_IN_BATCH, calls / 2);
    return outbox.waiting() >= batch;
  }

  // ---- what ----

  /** Sends what there is to send. */
  void run() {
    due = false;
    if (!turns.begin()) {
      return;
    }
    lanes.sayWhatIsDue();
    sendFrames();
    int waiting = outbox.waiting();
    turns.sendBulk();
    if (outbox.waiting() > waiting) {
      sendFrames(); // what was said of the bulk that has just left
    }
    flush(lanes.control());
    if (lanes.out() != lanes.control()) {
      flush(lanes.out());
    }
  }

  private void sendFrames() {
    Lane out = lanes.out();
    if (out != null) {
      if (!lanes.isChanging() && outbox.pump(out.link()) > 0) {
        turns.inbox().acknowledged();
      }
      acknowledger.afterPump();
    }
  }

  private static void flush(@Nullable Lane lane) {
    if (lane != null) {
      lane.link().flush();
    }
  }

  // ---- acknowledgements ----

  /** Returns how many frames are received and not acknowledged. */
  int owed() {
    return turns.inbox().owed();
  }

  /** Sends an acknowledgement of its own; where the link takes nothing now, it is still owed. */
  void acknowledge() {
    Lane out = lanes.out();
    if (out != null && out.say(FrameKind.ACK)) {
      turns.inbox().acknowledged();
    }
  }

  /** There is no link to acknowledge by. */
  void stop() {
    acknowledger.stop();
  }
}
