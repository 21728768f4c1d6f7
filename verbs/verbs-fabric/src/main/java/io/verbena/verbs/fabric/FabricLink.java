package io.verbena.verbs.fabric;

/** The link between two hosts, which tests cut or slow down. Guarded by the fabric's lock. */
final class FabricLink {
  private final FabricHost one;
  private final FabricHost other;
  boolean cut;
  long delayNanos;

  FabricLink(FabricHost one, FabricHost other) {
    this.one = one;
    this.other = other;
  }

  /** Returns whether a packet would arrive now. */
  boolean carries() {
    return !cut && one.powered && other.powered;
  }
}
