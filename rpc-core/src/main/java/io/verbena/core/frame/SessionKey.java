package io.verbena.core.frame;

import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;

/**
 * Identifies a session and proves the right to resume it.
 *
 * @param id chosen by the server; 0 for none yet
 * @param secretHigh known only to the two ends
 * @param secretLow known only to the two ends
 */
public record SessionKey(long id, long secretHigh, long secretLow) {
  /** The key that requests a new session. */
  public static final SessionKey NONE = new SessionKey(0, 0, 0);

  void write(WireOut out) {
    out.writeLong(id);
    out.writeLong(secretHigh);
    out.writeLong(secretLow);
  }

  static SessionKey read(WireIn in) {
    return new SessionKey(in.readLong(), in.readLong(), in.readLong());
  }

  /** Returns the id, without the secret, which does not belong in a log. */
  @Override
  public String toString() {
    return Long.toHexString(id);
  }
}
