package io.verbena.shm;

import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * 128 bits that nobody can guess: an offer's token, or a connection's nonce.
 *
 * @param high the first 64 of them
 * @param low the others
 */
record Secret(long high, long low) {
  static final int BYTES = 16;

  static Secret random(SecureRandom random) {
    return new Secret(random.nextLong(), random.nextLong());
  }

  static Secret read(ByteBuffer in) {
    return new Secret(in.getLong(), in.getLong());
  }

  void write(ByteBuffer out) {
    out.putLong(high).putLong(low);
  }

  /** Compares in a time that says nothing of where the two differ. */
  boolean matches(Secret other) {
    return ((high ^ other.high) | (low ^ other.low)) == 0;
  }

  /** It is a secret: not for logs. */
  @Override
  public String toString() {
    return "a secret";
  }
}
