package io.verbena.core.call;

import io.verbena.core.frame.PeerLimits;
import java.util.concurrent.Semaphore;

/**
 * The window of one session's calls in flight. Its size is the smaller one of this end's limit and
 * the peer's. A call leaves its place when its reply has arrived, even if its caller gave up
 * before. So the peer never has more calls than it agreed to. Safe for use by any thread.
 */
public final class CallWindow extends Semaphore {
  private static final long serialVersionUID = 1L;

  private final int own;
  private volatile int size;
  private int peerTakes;

  /** Makes a window with the size that every peer accepts, until {@link #peerTakes} is called. */
  public CallWindow(int own) {
    super(Math.min(own, PeerLimits.LEAST_CALLS));
    this.own = own;
    this.size = Math.min(own, PeerLimits.LEAST_CALLS);
  }

  /** Returns a message for a full window, with the remedy. */
  public synchronized String full() {
    return size
        + " calls of this session are in flight already: "
        + (peerTakes == 0
            ? "the session is not open yet"
            : "wait for some to end, or raise maxCalls " + whereToRaise());
  }

  private String whereToRaise() {
    if (own == peerTakes) {
      return "on both ends";
    }
    return own < peerTakes ? "on this end" : "on the other end";
  }

  /** Returns whether at least half of the places are free. */
  public boolean isHalfFree() {
    return availablePermits() > size / 2; // any recent size will do
  }

  /** Adapts the window to the peer's limit. Calls in flight keep their places. */
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
