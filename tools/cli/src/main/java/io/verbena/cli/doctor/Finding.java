package io.verbena.cli.doctor;

/**
 * The result of one check.
 *
 * @param what the short name of the checked part, such as {@code libibverbs.so.1}
 * @param detail the state of the part
 * @param cure a command or a sentence; empty if nothing is wrong
 */
record Finding(Mark mark, String what, String detail, String cure) {
  enum Mark {
    OK("ok"),
    /** For information, neither good nor bad. */
    NOTE("-"),
    /** Present, but less than a busy server needs. */
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

  /** Returns this finding with another cure. */
  Finding withCure(String other) {
    return new Finding(mark, what, detail, other);
  }
}
