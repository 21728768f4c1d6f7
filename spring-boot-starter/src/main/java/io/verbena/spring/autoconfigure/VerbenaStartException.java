package io.verbena.spring.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.FatalBeanException;

/** The application cannot start so; says what is wrong and what to do. */
final class VerbenaStartException extends FatalBeanException {
  private static final long serialVersionUID = 1L;

  private final String what;
  private final String cure;

  VerbenaStartException(String what, String cure, @Nullable Throwable cause) {
    super(what, cause);
    this.what = what.endsWith(".") ? what : what + "."; // a cure of its own ends with a stop
    this.cure = cure;
  }

  /** Returns what to do. */
  String cure() {
    return cure;
  }

  @Override
  public String getMessage() {
    return what + " " + cure;
  }

  /** Returns what is wrong, as a sentence. */
  String what() {
    return what;
  }
}
