package io.verbena.shm;

/** What the peer has written into shared memory makes no sense: its link ends. */
final class BrokenRing extends RuntimeException {
  private static final long serialVersionUID = 1L;

  BrokenRing(String what) {
    super(what);
  }
}
