package io.verbena.codec.kryo;

import com.esotericsoftware.kryo.kryo5.KryoException;

/** Formats a failure of Kryo's, with its place, in one line. */
final class KryoFailureText {
  private static final String TRACE = "\nSerialization trace:\n";

  private KryoFailureText() {}

  static String of(Throwable failure) {
    if (failure instanceof StackOverflowError) {
      return "it nests too deeply for its thread's stack. Set a smaller depth in configure, or"
          + " flatten the value";
    }
    String text = String.valueOf(failure.getMessage());
    String where = "";
    if (failure instanceof KryoException) {
      int trace = text.indexOf(TRACE);
      if (trace >= 0) {
        where = ", at " + text.substring(trace + TRACE.length()).replace("\n", " in ");
        text = text.substring(0, trace);
      }
    } else {
      text = failure.toString();
    }
    Throwable cause = failure.getCause();
    if (cause != null && !text.contains(String.valueOf(cause.getMessage()))) {
      text += ": " + of(cause);
    }
    if (text.startsWith("Max depth exceeded")) {
      text += ". Flatten the value, or raise the depth at both ends: kryo.setMaxDepth in configure";
    }
    return text.replace('\n', ' ') + where;
  }
}
