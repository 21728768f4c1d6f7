package io.verbena.link;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Options for opening links. Immutable; start from {@link #of}. */
public final class LinkOptions {

  private final Values values;

  private record Values(
      int maxFrameBytes,
      Duration connectTimeout,
      @Nullable TlsOptions tls,
      String authority,
      List<String> beside,
      @Nullable PortProtocol protocol) {
    private Values {
      beside = List.copyOf(beside);
    }
  }

  private LinkOptions(Values values) {
    this.values = values;
  }

  /**
   * Returns the length of the longest frame to send and to accept; a longer one closes its link.
   */
  public int maxFrameBytes() {
    return values.maxFrameBytes;
  }

  /** Returns the longest time for opening a link, TLS handshake included. */
  public Duration connectTimeout() {
    return values.connectTimeout;
  }

  /** Returns the options for TLS; null for plaintext. */
  public @Nullable TlsOptions tls() {
    return values.tls;
  }

  /**
   * Returns the name of the host, for a client with TLS. The client requests this name (SNI), and
   * the server's certificate must contain it. Empty for the host of the address.
   */
  public String authority() {
    return values.authority;
  }

  /**
   * Returns the local addresses of the session's other links of this kind. The new link uses
   * adapters that none of them uses at either end. Empty for a first link of its kind.
   */
  public List<String> beside() {
    return values.beside;
  }

  /** Returns another protocol at the address of a listener; null for none. */
  public @Nullable PortProtocol protocol() {
    return values.protocol;
  }

  /**
   * Returns options with the host of the address as authority.
   *
   * @param maxFrameBytes the length of the longest frame to send and to accept; a longer one closes
   *     its link
   * @param connectTimeout the longest time for opening a link, TLS handshake included
   * @param tls null for plaintext
   */
  public static LinkOptions of(
      int maxFrameBytes, Duration connectTimeout, @Nullable TlsOptions tls) {
    return new LinkOptions(new Values(maxFrameBytes, connectTimeout, tls, "", List.of(), null));
  }

  /** Returns these options with another time limit. */
  public LinkOptions withConnectTimeout(Duration connectTimeout) {
    return new LinkOptions(
        new Values(
            values.maxFrameBytes,
            connectTimeout,
            values.tls,
            values.authority,
            values.beside,
            values.protocol));
  }

  /** Returns these options with another authority. */
  public LinkOptions withAuthority(String authority) {
    return new LinkOptions(
        new Values(
            values.maxFrameBytes,
            values.connectTimeout,
            values.tls,
            authority,
            values.beside,
            values.protocol));
  }

  /** Returns these options for one more link beside those with these local addresses. */
  public LinkOptions withBeside(List<String> localAddresses) {
    return new LinkOptions(
        new Values(
            values.maxFrameBytes,
            values.connectTimeout,
            values.tls,
            values.authority,
            localAddresses,
            values.protocol));
  }

  /** Returns these options for a listener that accepts another protocol, too. */
  public LinkOptions withProtocol(PortProtocol protocol) {
    return new LinkOptions(
        new Values(
            values.maxFrameBytes,
            values.connectTimeout,
            values.tls,
            values.authority,
            values.beside,
            protocol));
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof LinkOptions it && values.equals(it.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  /** Returns the name and value of each option. */
  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "LinkOptions");
  }
}
