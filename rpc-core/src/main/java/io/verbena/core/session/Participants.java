package io.verbena.core.session;

import io.verbena.core.frame.FrameKind;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The participants of a session, by the kinds of frames that they handle and by their present work.
 * On the loop.
 */
final class Participants {
  private static final Participant[] NOBODY = {};

  /** All participants, in the order in which events reach them. See {@link Participant}. */
  private final List<Participant> all = new ArrayList<>();

  /** The participant for each kind of frame. */
  final Map<FrameKind, Participant> takers = new EnumMap<>(FrameKind.class);

  /** The participants with work now. For a session of small calls there are none. */
  Participant[] turning = NOBODY;

  void add(Participant... more) {
    for (Participant one : more) {
      all.add(one);
      one.kinds().forEach(kind -> takers.put(kind, one));
    }
  }

  /** Delivers an event to all participants in order. */
  void forEach(Consumer<Participant> happens) {
    all.forEach(happens);
  }

  boolean any(Predicate<Participant> so) {
    for (Participant one : all) {
      if (so.test(one)) {
        return true;
      }
    }
    return false;
  }

  /** Updates the participants that {@linkplain Participant#takesTurns take turns}. */
  void turnsChanged() {
    turning = all.stream().filter(Participant::takesTurns).toArray(Participant[]::new);
  }

  /** Frames have been sent. Bulk bytes follow. */
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
