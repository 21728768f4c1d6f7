package io.verbena.core.session;

import io.verbena.core.frame.FrameKind;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * All that lie on a session: who takes which kind of frame, and who takes turns now. On the loop.
 */
final class Participants {
  private static final Participant[] NOBODY = {};

  /** In the order in which each hears of whatever happens: see {@link Participant}. */
  private final List<Participant> all = new ArrayList<>();

  /** Who takes the frames of each kind. */
  final Map<FrameKind, Participant> takers = new EnumMap<>(FrameKind.class);

  /** Those that take turns now; of a session of small calls, nobody. */
  Participant[] turning = NOBODY;

  /** These hear of everything behind those that do already. */
  void add(Participant... more) {
    for (Participant one : more) {
      all.add(one);
      one.kinds().forEach(kind -> takers.put(kind, one));
    }
  }

  /** Has each hear of something, in their order. */
  void forEach(Consumer<Participant> happens) {
    all.forEach(happens);
  }

  /** Returns whether something is so of any of them. */
  boolean any(Predicate<Participant> so) {
    for (Participant one : all) {
      if (so.test(one)) {
        return true;
      }
    }
    return false;
  }

  /** Who {@linkplain Participant#takesTurns takes turns} has changed. */
  void turnsChanged() {
    turning = all.stream().filter(Participant::takesTurns).toArray(Participant[]::new);
  }

  /** Frames have been sent: it is the turn of what goes beside them. */
  void afterFrames() {
    boolean someAreDone = false;
    for (Participant one : turning) {
      one.afterFrames();
      someAreDone |= !one.takesTurns();
    }
    if (someAreDone) {
      turnsChanged();
    }
  }
}
