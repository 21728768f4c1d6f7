package io.verbena.bench.counts;

/** The frames and writes that one end has given to its links. For one event loop. */
final class LinkTally {
  private final Turns turns;
  private long frames;
  private long writes;
  private long bytes;

  LinkTally(Turns turns) {
    this.turns = turns;
  }

  void frame(int length) {
    turns.sent(this);
    frames++;
    bytes += length;
  }

  void write(int length) {
    writes++;
    bytes += length;
  }

  /** Returns how many frames. */
  long frames() {
    return frames;
  }

  /** Returns how many pieces of bulk. */
  long writes() {
    return writes;
  }

  /** Returns what both have in them. */
  long bytes() {
    return bytes;
  }
}
