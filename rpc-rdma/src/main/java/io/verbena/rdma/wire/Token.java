package io.verbena.rdma.wire;

import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * The one-time proof that a connection request comes from the session it was offered to.
 *
 * @param high the first 64 of 128 random bits
 * @param low the others
 */
public record Token(long high, long low) {
  static final int BYTES = 16;

  /** Returns a token that nobody can guess. */
  public static Token random(SecureRandom random) {
    return new Token(random.nextLong(), random.nextLong());
  }

  static Token read(ByteBuffer in) {
    return new Token(in.getLong(), in.getLong());
  }

  void write(ByteBuffer out) {
    out.putLong(high).putLong(low);
  }

  /** Tokens are secrets: not for logs. */
  @Override
  public String toString() {
    return "a token";
  }
}
