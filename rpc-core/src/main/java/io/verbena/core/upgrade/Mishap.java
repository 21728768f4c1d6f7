package io.verbena.core.upgrade;

import io.verbena.core.link.LinkException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts what a provider threw into words, and logs each of them once. Safe for any thread. */
final class Mishap {
  private static final Logger LOG = LoggerFactory.getLogger(Mishap.class);
  private static final int MOST_TOLD = 32;
  private static final int MOST_CHARACTERS = 300;

  private final String kind;
  private final Set<String> told = ConcurrentHashMap.newKeySet();

  /** What happens to the links of this kind. */
  Mishap(String kind) {
    this.kind = kind;
  }

  /**
   * Returns what happened, for a session's path; the first time it happens it is logged too.
   *
   * @param what what could not be done, such as {@code "its driver cannot be made"}
   */
  String tell(String what, Throwable thrown) {
    String words = "the " + kind + " link failed: " + what + ": " + words(thrown);
    if (told.size() < MOST_TOLD && told.add(words)) {
      LOG.warn("{}. Sessions stay on TCP, or go back to it", words, traceOf(thrown));
    } else {
      LOG.debug("{} (once more)", words);
    }
    return words;
  }

  /** Returns the same as what ends an attempt. */
  LinkException failure(String what, Throwable thrown) {
    return new LinkException(tell(what, thrown), traceOf(thrown));
  }

  /**
   * Returns what was thrown, in one line. What a class's initializer failed for says more than that
   * it did; a message that cannot be had is left out.
   */
  static String words(Throwable thrown) {
    Throwable root = thrown;
    while (root instanceof ExceptionInInitializerError && root.getCause() != null) {
      root = root.getCause();
    }
    String words;
    try {
      words = String.valueOf(root).lines().findFirst().orElse("");
    } catch (Throwable again) { // its message is the provider's work too
      words = root.getClass().getName();
    }
    return words.length() <= MOST_CHARACTERS ? words : words.substring(0, MOST_CHARACTERS) + "…";
  }

  /**
   * Who logs a throwable calls its methods, and they are the provider's: its words stand for it.
   */
  private static Throwable traceOf(Throwable thrown) {
    Throwable trace = new Trace(words(thrown));
    try {
      trace.setStackTrace(thrown.getStackTrace());
      if (thrown.getCause() != null && thrown.getCause() != thrown) {
        trace.initCause(traceOf(thrown.getCause()));
      }
    } catch (Throwable again) {
      trace.setStackTrace(new StackTraceElement[0]);
    }
    return trace;
  }

  /** Where a provider threw something, and what it was. */
  private static final class Trace extends Exception {
    private static final long serialVersionUID = 1L;

    Trace(String words) {
      super(words);
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
      return this;
    }
  }
}
