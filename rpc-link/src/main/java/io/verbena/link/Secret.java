package io.verbena.link;

import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * 128 bits that cannot be guessed. They serve as the token of an offer, valid for one use, or as
 * the identity of a connection. Immutable.
 *
 * @param high the first 64 bits
 * @param low the last 64 bits
 */
public record Secret(long high, long low) {
  /** The length of the encoding in bytes. */
  public static final int BYTES = 16;

  /** Returns a new secret. */
  public static Secret random(SecureRandom random) {
    return new Secret(random.nextLong(), random.nextLong());
  }

  /** Reads a secret at a buffer's position, which moves past it. */
  public static Secret read(ByteBuffer in) {
    return new Secret(in.getLong(), in.getLong());
  }

  /** Writes the secret at a buffer's position, which moves past it. */
  public void write(ByteBuffer out) {
    out.putLong(high).putLong(low);
  }

  /** Compares in a time that does not depend on the values. */
  public boolean matches(Secret other) {
    return ((high ^ other.high) | (low ^ other.low)) == 0;
  }

  /** Returns a fixed text, because the bits do not belong in a log. */
  @Override
  public String toString() {
    return "a secret";
  }
}
