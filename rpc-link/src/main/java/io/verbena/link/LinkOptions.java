package io.verbena.link;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Options for opening links. Immutable.
 *
 * @param maxFrameBytes the length of the longest frame to send and to accept; a longer one closes
 *     its link
 * @param connectTimeout the longest time for opening a link, TLS handshake included
 * @param tls null for plaintext
 * @param authority for a client with TLS the name of the host. The client requests this name (SNI),
 *     and the server's certificate must contain it. Empty for the host of the address
 * @param beside the local addresses of the session's other links of this kind. The new link uses
 *     adapters that none of them uses at either end. Empty for a first link of its kind
 * @param protocol for a listener another protocol at its address; null for none
 */
public record LinkOptions(
    int maxFrameBytes,
    Duration connectTimeout,
    @Nullable TlsOptions tls,
    String authority,
    List<String> beside,
    @Nullable PortProtocol protocol) {
  /** Copies the addresses. */
  public LinkOptions {
    beside = List.copyOf(beside);
  }

  /** Makes options with the host of the address as authority. */
  public LinkOptions(int maxFrameBytes, Duration connectTimeout, @Nullable TlsOptions tls) {
    this(maxFrameBytes, connectTimeout, tls, "", List.of(), null);
  }

  /** Returns these options with another time limit. */
  public LinkOptions within(Duration connectTimeout) {
    return new LinkOptions(maxFrameBytes, connectTimeout, tls, authority, beside, protocol);
  }

  /** Returns these options with another authority. */
  public LinkOptions to(String authority) {
    return new LinkOptions(maxFrameBytes, connectTimeout, tls, authority, beside, protocol);
  }

  /** Returns these options for one more link beside those with these local addresses. */
  public LinkOptions beside(List<String> localAddresses) {
    return new LinkOptions(maxFrameBytes, connectTimeout, tls, authority, localAddresses, protocol);
  }

  /** Returns these options for a listener that accepts another protocol, too. */
  public LinkOptions speaking(PortProtocol protocol) {
    return new LinkOptions(maxFrameBytes, connectTimeout, tls, authority, beside, protocol);
  }
}
