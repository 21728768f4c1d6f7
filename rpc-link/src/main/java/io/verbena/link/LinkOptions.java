package io.verbena.link;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How links are opened.
 *
 * @param maxFrameBytes the longest frame to send and to accept; a longer one closes its link
 * @param connectTimeout how long opening may take, with the TLS handshake
 * @param tls null for plaintext
 * @param authority for a client with TLS: the host's name that the server's certificate must have,
 *     and that it is asked for (SNI); empty for the host of the address
 */
public record LinkOptions(
    int maxFrameBytes, Duration connectTimeout, @Nullable TlsOptions tls, String authority) {
  /** With the host of the address as authority. */
  public LinkOptions(int maxFrameBytes, Duration connectTimeout, @Nullable TlsOptions tls) {
    this(maxFrameBytes, connectTimeout, tls, "");
  }

  /** Returns the same with another time limit. */
  public LinkOptions within(Duration connectTimeout) {
    return new LinkOptions(maxFrameBytes, connectTimeout, tls, authority);
  }

  /** Returns the same with another authority. */
  public LinkOptions to(String authority) {
    return new LinkOptions(maxFrameBytes, connectTimeout, tls, authority);
  }
}
