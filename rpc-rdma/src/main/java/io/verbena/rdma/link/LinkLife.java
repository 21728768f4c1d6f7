package io.verbena.rdma.link;

/**
 * The states of a link, and what each change of them begins. On the loop.
 *
 * <pre>
 *   CONNECTING ──opened──→ OPEN ──close──→ CLOSING ──farewell acknowledged──→ DRAINING ──→ CLOSED
 *       │                    └──────────── failure, abort, peer's farewell ───────↑
 *       └── failure ──→ CLOSED (nothing was sent: the queue pair is destroyed as it is)
 * </pre>
 *
 * <p>DRAINING is what makes the end true: the queue pair is in ERR, and the listener is told only
 * when every request has completed, or the queue pair is destroyed. After that no frame arrives and
 * the device reads and writes none of the link's memory.
 */
final class LinkLife {
  private final RdmaLink link;
  private final DueLinks dueLinks;
  private final Ending ending;
  private State state = State.CONNECTING;
  private String reason = "";
  private boolean receiving = true;
  private boolean muted;
  private boolean due;

  enum State {
    CONNECTING,
    OPEN,
    CLOSING,
    DRAINING,
    CLOSED
  }

  LinkLife(RdmaLink link, DueLinks dueLinks, Ending ending) {
    this.link = link;
    this.dueLinks = dueLinks;
    this.ending = ending;
  }

  State state() {
    return state;
  }

  boolean isOpen() {
    return state == State.OPEN;
  }

  boolean isClosing() {
    return state == State.CLOSING;
  }

  boolean isClosed() {
    return state == State.CLOSED;
  }

  /** Returns why it ends; nothing while it does not. */
  String reason() {
    return reason;
  }

  // ---- when it is stepped ----

  void becomeDue() {
    if (!due && state != State.CLOSED) {
      due = true;
      dueLinks.add(link);
    }
  }

  /** It is being stepped. */
  void stepped() {
    due = false;
  }

  /** The peer is to answer within a time, or this end to give back what it does not use. */
  void watch() {
    dueLinks.watch(link);
  }

  // ---- what it hands over ----

  void setReceiving(boolean receiving) {
    this.receiving = receiving;
    if (receiving) {
      becomeDue();
    }
  }

  /** Nothing is handed over any more. */
  void mute() {
    muted = true;
  }

  boolean wantsFrames() {
    return receiving && !muted && (state == State.OPEN || state == State.DRAINING);
  }

  // ---- changes ----

  /** The connection stands. */
  void opened() {
    state = State.OPEN;
  }

  /** This end closes it, and has nothing more to say than a farewell, if that goes. */
  void closes() {
    reason = "closed by this end";
  }

  /** The farewell is on its way. */
  void saidFarewell() {
    state = State.CLOSING;
    ending.awaitFarewell();
    dueLinks.ends(link);
  }

  void peerSaidFarewell() {
    muted = true;
    String why = "the peer closed the link";
    if (state == State.DRAINING) {
      reason = why;
    }
    fail(why);
  }

  /** It ends, for a reason. */
  void fail(String why) {
    switch (state) {
      case OPEN -> {
        reason = why;
        drain();
      }
      case CONNECTING -> {
        reason = why;
        state = State.DRAINING;
        ending.skip();
        dueLinks.ends(link);
        becomeDue();
      }
      case CLOSING -> drain();
      case DRAINING, CLOSED -> {}
    }
  }

  /** Nothing is sent any more: ends what is under way. */
  void drain() {
    if (state == State.DRAINING || state == State.CLOSED) {
      return;
    }
    if (state != State.CLOSING) {
      dueLinks.ends(link);
    }
    state = State.DRAINING;
    ending.drain();
    becomeDue();
  }

  /** Moves a link that ends on, when it has taken too long. */
  void expire(long now) {
    if (state == State.DRAINING && ending.drainsByTime()) {
      becomeDue();
    }
    if (ending.isOverdue(now)) {
      if (state == State.CLOSING) {
        drain();
      } else {
        becomeDue();
      }
    }
  }

  /** It has ended. */
  void closed() {
    state = State.CLOSED;
  }
}
