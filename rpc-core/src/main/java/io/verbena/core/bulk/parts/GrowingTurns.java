package io.verbena.core.bulk.parts;

import java.util.ArrayDeque;
import java.util.Iterator;

/**
 * Which values of one session's peer may grow beyond what the session is guaranteed: those of one
 * message at a time, in the order of coming. Two that each have half of what they need would wait
 * for each other. On the loop.
 */
public final class GrowingTurns {
  private final ArrayDeque<LargeValueDestination> waiting = new ArrayDeque<>();

  /** Returns whether it is its turn; if not, it is told when it is. */
  boolean isTurnOf(LargeValueDestination values) {
    if (!waiting.contains(values)) {
      waiting.add(values);
    }
    return waiting.peek() == values;
  }

  /** It needs no more, or is given up. */
  void leave(LargeValueDestination values) {
    Iterator<LargeValueDestination> others = waiting.iterator();
    boolean was = others.hasNext() && others.next() == values;
    waiting.remove(values);
    LargeValueDestination next = waiting.peek();
    if (was && next != null) {
      next.itsTurn();
    }
  }
}
