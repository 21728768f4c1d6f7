package io.verbena.core.transfer;

/**
 * How far an object on its way in is.
 *
 * <pre>
 *   NEW ──→ PREPARING ──memory claimed──→ MOVING ──all arrived, fenced, stored──→ FINISHING ──→ FINISHED ──→ OVER
 *    │          ↑                         ↑  │ └──all arrived in memory──→ TOLD ──fenced──↑
 *    │          └──it is not──┐           │  ├──→ AWAITS_OFFER ──offered──→ MOVING
 *    └──claimed at once───────│───────────┘  │
 *                             └── ASKED ←────┘ ──it is──→ MOVING
 *   any ──cancel, failure, peer lost──→ FREEING ──fenced, idle──→ OVER; out of PREPARING by GIVEN_UP
 *   but TOLD and FINISHING, where these wait: OVER, well, if it is in its place
 * </pre>
 */
enum IncomingState {
  /** Its length is not known, or not yet looked at. */
  NEW,
  /** The destination claims what it needs, or begins again. */
  PREPARING,
  /** The sender was asked whether a beginning is its own. */
  ASKED,
  /** Nothing could be granted before a call's request, and a grant behind it is not expected. */
  AWAITS_OFFER,
  /** Memory is opened, and filled. */
  MOVING,
  /** Its sender knows that all has come, and its user waits until the sender is fenced off. */
  TOLD,
  /** The destination compares and stores the last of it. */
  FINISHING,
  /** The destination has said whether it is whole. */
  FINISHED,
  /** It has failed, and its destination is still being prepared. */
  GIVEN_UP,
  /** It has failed, and its memory is free when the peer is fenced off it. */
  FREEING,
  /** It has ended, and nothing is waited for any more. */
  OVER;

  /** Returns what it becomes; no other transitions are there. */
  IncomingState become(IncomingState next) {
    boolean may =
        switch (next) {
          case NEW -> false;
          case PREPARING -> this == NEW || this == MOVING;
          case ASKED, AWAITS_OFFER, TOLD -> this == MOVING;
          case MOVING -> this == NEW || this == PREPARING || this == ASKED || this == AWAITS_OFFER;
          case FINISHING -> this == MOVING || this == TOLD;
          case FINISHED -> this == FINISHING;
          case GIVEN_UP -> this == PREPARING;
          case FREEING -> !hasEnded() || this == GIVEN_UP;
          case OVER -> this == FINISHED || this == FREEING;
        };
    if (!may) {
      throw new IllegalStateException("an object on its way in is " + this + ", not to be " + next);
    }
    return next;
  }

  /** Returns what it becomes where it fails. */
  IncomingState fails() {
    return become(this == PREPARING ? GIVEN_UP : FREEING);
  }

  /** Returns whether it is over, well or not. */
  boolean hasEnded() {
    return this == GIVEN_UP || this == FREEING || this == OVER;
  }

  /** Returns whether memory may be opened, and what has arrived be finished. */
  boolean moves() {
    return this == MOVING || isBeingSeen();
  }

  /**
   * Returns whether only its destination says how it ends: it is whole and being put in its place,
   * or its sender was told so.
   */
  boolean isBeingSeen() {
    return this == TOLD || this == FINISHING;
  }
}
