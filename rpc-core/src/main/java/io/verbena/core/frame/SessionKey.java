package io.verbena.core.frame;

import io.verbena.api.wire.WireIn;
import io.verbena.api.wire.WireOut;

/**
 * Names a session and proves the right to resume it.
 *
 * @param id chosen by the server; 0: none yet
 * @param secretHigh known to the two ends alone
 * @param secretLow known to the two ends alone
 */
public record SessionKey(long id, long secretHigh, long secretLow) {
  /** Asks for a new session. */
  public static final SessionKey NONE = new SessionKey(0, 0, 0);

  void write(WireOut out) {
    out.writeLong(id);
    out.writeLong(secretHigh);
    out.writeLong(secretLow);
  }

  static SessionKey read(WireIn in) {
    return new SessionKey(in.readLong(), in.readLong(), in.readLong());
  }

  /** Returns the id alone: the secret does not belong in a log. */
  @Override
  public String toString() {
    return Long.toHexString(id);
  }
}
