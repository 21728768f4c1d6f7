package io.verbena.cli.doctor;

/**
 * One thing that was looked at.
 *
 * @param what a name of a few letters, such as {@code libibverbs.so.1}
 * @param detail what there is of it
 * @param cure a command or a sentence; empty where nothing is wrong
 */
record Finding(Mark mark, String what, String detail, String cure) {
  /** How a thing stands. */
  enum Mark {
    OK("ok"),
    /** Good to know, neither good nor bad. */
    NOTE("-"),
    /** There, and less than a busy server wants. */
    LOW("low"),
    MISSING("missing");

    final String word;

    Mark(String word) {
      this.word = word;
    }
  }

  static Finding ok(String what, String detail) {
    return new Finding(Mark.OK, what, detail, "");
  }

  static Finding note(String what, String detail) {
    return new Finding(Mark.NOTE, what, detail, "");
  }

  static Finding low(String what, String detail, String cure) {
    return new Finding(Mark.LOW, what, detail, cure);
  }

  static Finding missing(String what, String detail, String cure) {
    return new Finding(Mark.MISSING, what, detail, cure);
  }

  /** Returns the same with another cure. */
  Finding withCure(String other) {
    return new Finding(mark, what, detail, other);
  }
}
