package io.verbena.core.bulk.transfer;

import io.verbena.core.bulk.BulkCounters;
import io.verbena.core.bulk.destination.Destination;
import io.verbena.core.bulk.destination.GrantedPieces;
import io.verbena.core.bulk.destination.LandingPiece;

/**
 * What of an object on its way in is here: in pieces of its destination that were granted, each of
 * which is closed when it is full, and handed to the destination once the peer is fenced off it. On
 * the loop.
 */
final class IncomingBytes {
  private static final long UNKNOWN = -1;

  private final BulkCounters counters;
  private final TransferHandle handle;
  private final Destination destination;
  private final GrantedPieces granted;
  private final Owner owner;
  private long length = UNKNOWN;
  private long confirmed;

  /** The transfer. */
  interface Owner extends GrantedPieces.Owner {
    boolean isOver();

    /** The sender may be told that more has come. */
    void progresses();

    /** More has come than the object has. */
    void tooMuch(long bytes, long length);
  }

  IncomingBytes(
      BulkCounters counters,
      TransferHandle handle,
      Destination destination,
      GrantedPieces granted,
      Owner owner) {
    this.counters = counters;
    this.handle = handle;
    this.destination = destination;
    this.granted = granted;
    this.owner = owner;
  }

  /** The object has so many bytes. */
  void are(long bytes) {
    length = bytes;
  }

  /** Returns how many the object has; below 0 while that is not known. */
  long length() {
    return length;
  }

  /** Returns how many are here. */
  long confirmed() {
    return confirmed;
  }

  boolean hasAll() {
    return confirmed == length;
  }

  /** So many are there from before. */
  void beginAt(long from) {
    confirmed = from;
    granted.beginAt(from);
  }

  /** Opens memory for what is to come. */
  void moveOn() {
    boolean known = length != UNKNOWN;
    granted.moveOn(known ? length : destination.capacity(), !known);
  }

  /** More has arrived, or it is known how much will. */
  void advance() {
    LandingPiece head = granted.head();
    while (head != null) {
      confirmed(head.offset() + head.arrived());
      if (owner.isOver() || length == UNKNOWN || confirmed < Math.min(head.end(), length)) {
        return;
      }
      LandingPiece full = head;
      granted.closeHead(() -> filled(full));
      head = granted.head();
    }
  }

  private void confirmed(long upTo) {
    if (length != UNKNOWN && upTo > length) {
      owner.tooMuch(upTo, length);
    } else if (upTo > confirmed) {
      counters.received(upTo - confirmed);
      confirmed = upTo;
      handle.confirmed(upTo);
      owner.progresses();
    }
  }

  private void filled(LandingPiece piece) {
    destination.filled(piece, owner::broken, owner::moves);
  }
}
