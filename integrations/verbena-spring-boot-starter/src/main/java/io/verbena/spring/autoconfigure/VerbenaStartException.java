package io.verbena.spring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.FatalBeanException;

/** The application cannot start. The exception says what is wrong, and how to mend it. */
final class VerbenaStartException extends FatalBeanException {
  private static final long serialVersionUID = 1L;

  private final String what;
  private final String cure;

  VerbenaStartException(String what, String cure) {
    this(what, cure, null);
  }

  VerbenaStartException(String what, String cure, @Nullable Throwable cause) {
    super(what, cause);
    // A cure follows, so the sentence needs a full stop.
    this.what = what.endsWith(".") ? what : what + ".";
    this.cure = cure;
  }

  /** Returns the advice. */
  String cure() {
    return cure;
  }

  @Override
  public String getMessage() {
    return what + " " + cure;
  }

  /** Returns the fault, as a sentence. */
  String what() {
    return what;
  }
}
