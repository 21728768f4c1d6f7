package io.verbena.shm;

/** The peer has written invalid data into shared memory; its link ends. */
final class BrokenRing extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BrokenRing(String what) {
    super(what);
  }
}
