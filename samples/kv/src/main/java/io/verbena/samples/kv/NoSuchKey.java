package io.verbena.samples.kv;

/** There is no value for a key. */
public final class NoSuchKey extends Exception {
  private static final long serialVersionUID = 1L;

  /** Names the key. */
  public NoSuchKey(String message) {
    super(message);
  }
}
