package io.verbena.core.call;

import io.verbena.core.frame.PeerLimits;
import java.util.concurrent.Semaphore;

/**
 * How many calls of one session may be under way at once: the smaller of what this end allows
 * itself and what the peer takes. A call leaves its place when its reply has arrived, even where
 * its caller gave up before, so that the peer never has more to do than it agreed to. Safe for any
 * thread.
 */
public final class CallWindow extends Semaphore {
  private static final long serialVersionUID = 1L;

  private final int own;
  private int size;
  private int peerTakes;

  /** A window that is as small as every peer takes until {@link #peerTakes} is known. */
  public CallWindow(int own) {
    super(Math.min(own, PeerLimits.LEAST_CALLS));
    this.own = own;
    this.size = Math.min(own, PeerLimits.LEAST_CALLS);
  }

  /** Says why there is no place, and what helps. */
  public synchronized String full() {
    return size
        + " calls of this session are under way already: "
        + (peerTakes == 0
            ? "it is not open yet"
            : "wait for some to end, or raise maxCalls " + whereToRaise());
  }

  private String whereToRaise() {
    if (own == peerTakes) {
      return "on both ends";
    }
    return own < peerTakes ? "on this end" : "on the other end";
  }

  /** Fits the window to what the peer takes; calls under way keep their places. */
  public synchronized void peerTakes(int calls) {
    peerTakes = calls;
    int fitting = Math.min(own, calls);
    if (fitting > size) {
      release(fitting - size);
    } else {
      reducePermits(size - fitting);
    }
    size = fitting;
  }
}
