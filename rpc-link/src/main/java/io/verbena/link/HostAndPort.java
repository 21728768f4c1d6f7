package io.verbena.link;

import java.net.IDN;
import java.net.URI;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A host and a port, as users write them wherever an address is asked for. Hosts are literal
 * addresses, or names as resolvers take them. {@link URI#getHost} takes fewer: none with an
 * underscore, and none whose last part begins with a digit, as a container's default name does.
 *
 * @param host a name in ASCII (RFC 5891) or a literal address, without the brackets of IPv6
 * @param port 0 to 65535
 */
public record HostAndPort(String host, int port) {
  /** The highest port. */
  public static final int MOST_PORT = 0xffff;

  /**
   * A literal IPv6 address may name its interface, as in {@code fe80::1%eth0}, or in a URI {@code
   * fe80::1%25eth0} (RFC 6874).
   */
  private static final String HOST =
      "(\\[[0-9A-Fa-f:.]+(?:%[\\w.-]+)?]|[\\w.\\p{L}\\p{M}\\p{Nd}-]+)";

  private static final Pattern PATTERN = Pattern.compile(HOST + "(?::([0-9]{1,5}))?");

  /**
   * Parses {@code host:port}. Blanks around it are ignored.
   *
   * @throws IllegalArgumentException if it is malformed, without a word of how
   */
  public static HostAndPort parse(String text) {
    return parse(text, -1);
  }

  /**
   * Parses {@code host:port}, or {@code host} alone. Blanks around it are ignored.
   *
   * @param otherwise the port if none is written; negative if one must be
   * @throws IllegalArgumentException if it is malformed, without a word of how
   */
  public static HostAndPort parse(String text, int otherwise) {
    Matcher written = PATTERN.matcher(text.strip());
    if (written.matches()) {
      int port = written.group(2) == null ? otherwise : Integer.parseInt(written.group(2));
      if (port >= 0 && port <= MOST_PORT) {
        return new HostAndPort(ascii(written.group(1)), port);
      }
    }
    throw new IllegalArgumentException("'" + text + "' is no host with a port");
  }

  private static String ascii(String host) {
    return host.startsWith("[")
        ? host.substring(1, host.length() - 1).replace("%25", "%")
        : IDN.toASCII(host);
  }

  /** Returns {@code host:port}, with brackets around IPv6. */
  @Override
  public String toString() {
    String quoted = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    return quoted + ":" + port;
  }
}
