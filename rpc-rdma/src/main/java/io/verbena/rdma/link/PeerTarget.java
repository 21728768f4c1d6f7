package io.verbena.rdma.link;

import io.verbena.core.link.RemoteTarget;
import io.verbena.rdma.wire.Advertisement;
import io.verbena.rdma.wire.Immediate;

/** A target of the peer's, as the writer knows it. */
final class PeerTarget implements RemoteTarget {
  private final RdmaBulk owner;
  private final Advertisement advertisement;
  private long written;
  private long told;
  private boolean revoked;

  PeerTarget(RdmaBulk owner, Advertisement advertisement) {
    this.owner = owner;
    this.advertisement = advertisement;
  }

  @Override
  public long length() {
    return advertisement.length();
  }

  @Override
  public void rewind() {
    written = 0;
    told = 0;
  }

  RdmaBulk owner() {
    return owner;
  }

  int target() {
    return advertisement.target();
  }

  int rkey() {
    return advertisement.rkey();
  }

  long address() {
    return advertisement.address();
  }

  /** The peer wants it left alone. */
  void revoke() {
    revoked = true;
  }

  boolean isRevoked() {
    return revoked;
  }

  /** Returns whether these bytes come next and fit. */
  boolean takes(long at, int length) {
    return at == written && length > 0 && length <= advertisement.length() - at;
  }

  /** Returns whether, after so many bytes more, a later immediate could still tell of them all. */
  boolean canTellLater(int length) {
    return isWhole(written + length - told);
  }

  /** Returns whether an immediate can tell of what was written and not told of. */
  boolean canTellByImmediate() {
    return isWhole(written - told);
  }

  private boolean isWhole(long bytes) {
    long units = bytes >>> advertisement.unitShift();
    return units << advertisement.unitShift() == bytes && units <= Immediate.MOST_UNITS;
  }

  /** Returns the immediate that tells of what was written before the WRITE that it comes with. */
  int immediate() {
    int units = (int) ((written - told) >>> advertisement.unitShift());
    return Immediate.of(units, advertisement.target());
  }

  void wrote(int length) {
    written += length;
  }

  /** The peer is told of everything; returns how much that is. */
  long tell() {
    told = written;
    return told;
  }
}
