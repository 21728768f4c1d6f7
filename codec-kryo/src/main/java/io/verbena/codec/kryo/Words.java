package io.verbena.codec.kryo;

import com.esotericsoftware.kryo.KryoException;

/** What went wrong in Kryo, and where, in one line. */
final class Words {
  private static final String TRACE = "\nSerialization trace:\n";

  private Words() {}

  static String of(Throwable failure) {
    if (failure instanceof StackOverflowError) {
      return "it nests too deeply for its thread's stack. Set a smaller depth by configure, or"
          + " flatten it";
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
      text += ". Flatten it, or raise the depth at both ends: configure, kryo.setMaxDepth";
    }
    return text.replace('\n', ' ') + where;
  }
}
