package io.verbena.shm;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts events on the links of one provider. Safe for use by any thread. */
final class ShmCounters {
  final LongAdder linksOpened = new LongAdder();
  final LongAdder linksClosed = new LongAdder();
  final LongAdder mappedBytes = new LongAdder();
  final LongAdder peersWoken = new LongAdder();
  final LongAdder wakeUps = new LongAdder();
  final LongAdder strangers = new LongAdder();
  final LongAdder brokenRules = new LongAdder();

  /** Returns the counts. Their names are distinct from those of other kinds of links. */
  Map<String, Long> figures() {
    Map<String, Long> figures = new LinkedHashMap<>();
    figures.put("shm links opened", linksOpened.sum());
    figures.put("shm links closed", linksClosed.sum());
    figures.put("shm mapped bytes", mappedBytes.sum());
    figures.put("shm doorbells rung", peersWoken.sum());
    figures.put("shm wake-ups", wakeUps.sum());
    figures.put("shm strangers refused", strangers.sum());
    figures.put("shm rules broken by peers", brokenRules.sum());
    return figures;
  }
}
