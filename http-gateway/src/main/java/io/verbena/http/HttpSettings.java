package io.verbena.http;

import io.verbena.api.settings.Checks;
import java.time.Duration;
import java.util.Set;

/**
 * What a gateway allows. Immutable; begin with {@link #DEFAULT}.
 *
 * @param maxRequestBytes the longest body of a request
 * @param maxResponseBytes the longest result, or item of a stream, as it travels between sessions
 * @param requestTime how long a client may take to send the head of a request, and its body
 * @param idleTime how long a connection may stay open without a request, and how long a client may
 *     take nothing of what is sent to it
 * @param hosts names by which a server without an authenticator may be asked, besides its own
 * @param page whether there is a page at {@code /}, and the document at {@code /openapi.json}
 */
public record HttpSettings(
    int maxRequestBytes,
    int maxResponseBytes,
    Duration requestTime,
    Duration idleTime,
    Set<String> hosts,
    boolean page) {
  /** 1 MiB, 16 MiB, 10 s, 60 s, and the page is there. */
  public static final HttpSettings DEFAULT =
      new HttpSettings(
          1 << 20, 16 << 20, Duration.ofSeconds(10), Duration.ofSeconds(60), Set.of(), true);

  private static final int LEAST_BYTES = 4096;
  private static final int MOST_BYTES = 1 << 30;

  /**
   * Checks them.
   *
   * @throws IllegalArgumentException if one is out of its range, which the message names
   */
  public HttpSettings {
    Checks.between("maxRequestBytes", maxRequestBytes, 1, MOST_BYTES);
    Checks.between("maxResponseBytes", maxResponseBytes, LEAST_BYTES, MOST_BYTES);
    Duration day = Duration.ofDays(1);
    Checks.between("requestTime", requestTime, Duration.ofMillis(1), day, "1 ms to a day");
    Checks.between("idleTime", idleTime, Duration.ofMillis(1), day, "1 ms to a day");
    hosts = Set.copyOf(hosts);
  }

  /** Sets the longest body of a request, in bytes: 1 B to 1 GiB. */
  public HttpSettings withMaxRequestBytes(int bytes) {
    return new HttpSettings(bytes, maxResponseBytes, requestTime, idleTime, hosts, page);
  }

  /**
   * Sets how long a result, or an item of a stream, may be between sessions, in bytes: 4 KiB to 1
   * GiB. A longer one fails its call with RESOURCE_EXHAUSTED. JSON is longer than that.
   */
  public HttpSettings withMaxResponseBytes(int bytes) {
    return new HttpSettings(maxRequestBytes, bytes, requestTime, idleTime, hosts, page);
  }

  /** Sets how long a client may take to send a request's head, and its body: 1 ms to a day. */
  public HttpSettings withRequestTime(Duration time) {
    return new HttpSettings(maxRequestBytes, maxResponseBytes, time, idleTime, hosts, page);
  }

  /** Sets how long a connection may be idle, or its client read nothing: 1 ms to a day. */
  public HttpSettings withIdleTime(Duration time) {
    return new HttpSettings(maxRequestBytes, maxResponseBytes, requestTime, time, hosts, page);
  }

  /**
   * Sets by which names a server without an authenticator may be asked, such as {@code
   * "store.example"}, besides addresses, {@code localhost}, the name that it listens at and that of
   * its machine; {@code "*"} for any. Requests for others are refused, since a page of anybody's
   * may have its own name lead to a user's loopback address (DNS rebinding).
   */
  public HttpSettings withHosts(Set<String> names) {
    return new HttpSettings(maxRequestBytes, maxResponseBytes, requestTime, idleTime, names, page);
  }

  /** Says that there is neither a page nor the document of the contracts. */
  public HttpSettings withoutPage() {
    return new HttpSettings(maxRequestBytes, maxResponseBytes, requestTime, idleTime, hosts, false);
  }
}
