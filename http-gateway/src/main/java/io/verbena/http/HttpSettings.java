package io.verbena.http;

import io.verbena.api.settings.Checks;
import java.time.Duration;
import java.util.Set;

/**
 * What a gateway allows. Immutable; begin with {@link #DEFAULT}.
 *
 * @param maxRequestBytes the longest body of a request
 * @param maxResponseBytes the longest result, or item of a stream, as it travels between sessions
 * @param requestMemoryBytes how much memory the bodies of all requests may take that are read or
 *     answered
 * @param requestTime how long a client may take to send the head of a request, and its body
 * @param idleTime how long a connection may stay open without a request, and how long a client may
 *     take nothing of what is sent to it
 * @param hosts names by which a server may be asked, besides its own; none for any where it has an
 *     authenticator
 * @param page whether there is a page at {@code /}, and the document at {@code /openapi.json}
 */
public record HttpSettings(
    int maxRequestBytes,
    int maxResponseBytes,
    long requestMemoryBytes,
    Duration requestTime,
    Duration idleTime,
    Set<String> hosts,
    boolean page) {
  /** 1 MiB, 16 MiB, a quarter of the heap, 10 s, 60 s, and the page is there. */
  public static final HttpSettings DEFAULT =
      new HttpSettings(
          1 << 20,
          16 << 20,
          Math.max(1 << 20, Runtime.getRuntime().maxMemory() / 4),
          Duration.ofSeconds(10),
          Duration.ofSeconds(60),
          Set.of(),
          true);

  private static final int LEAST_BYTES = 4096;
  private static final int MOST_BYTES = 1 << 30;
  private static final int LEAST_MEMORY = 1 << 20;

  /**
   * Checks them.
   *
   * @throws IllegalArgumentException if one is out of its range, which the message names
   */
  public HttpSettings {
    Checks.between("maxRequestBytes", maxRequestBytes, 1, MOST_BYTES);
    Checks.between("maxResponseBytes", maxResponseBytes, LEAST_BYTES, MOST_BYTES);
    Checks.between("requestMemoryBytes", requestMemoryBytes, LEAST_MEMORY, Long.MAX_VALUE);
    Duration day = Duration.ofDays(1);
    Checks.between("requestTime", requestTime, Duration.ofMillis(1), day, "1 ms to a day");
    Checks.between("idleTime", idleTime, Duration.ofMillis(1), day, "1 ms to a day");
    hosts = Set.copyOf(hosts);
  }

  /** Sets the longest body of a request, in bytes: 1 B to 1 GiB. */
  public HttpSettings withMaxRequestBytes(int bytes) {
    return new HttpSettings(
        bytes, maxResponseBytes, requestMemoryBytes, requestTime, idleTime, hosts, page);
  }

  /**
   * Sets how long a result, or an item of a stream, may be between sessions, in bytes: 4 KiB to 1
   * GiB. A longer one fails its call with RESOURCE_EXHAUSTED. JSON is longer than that.
   */
  public HttpSettings withMaxResponseBytes(int bytes) {
    return new HttpSettings(
        maxRequestBytes, bytes, requestMemoryBytes, requestTime, idleTime, hosts, page);
  }

  /**
   * Sets how much memory the bodies of all requests may take together, in bytes: from 1 MiB. Each
   * counts sixteen times while it comes and is answered, for what it becomes. Half of it is
   * guaranteed to the connections in equal parts, for at least four; the other half is lent to
   * whichever comes first. A request that finds no memory is refused with RESOURCE_EXHAUSTED. It is
   * never less than two requests of {@code maxRequestBytes} take.
   */
  public HttpSettings withRequestMemoryBytes(long bytes) {
    return new HttpSettings(
        maxRequestBytes, maxResponseBytes, bytes, requestTime, idleTime, hosts, page);
  }

  /** Sets how long a client may take to send a request's head, and its body: 1 ms to a day. */
  public HttpSettings withRequestTime(Duration time) {
    return new HttpSettings(
        maxRequestBytes, maxResponseBytes, requestMemoryBytes, time, idleTime, hosts, page);
  }

  /** Sets how long a connection may be idle, or its client read nothing: 1 ms to a day. */
  public HttpSettings withIdleTime(Duration time) {
    return new HttpSettings(
        maxRequestBytes, maxResponseBytes, requestMemoryBytes, requestTime, time, hosts, page);
  }

  /**
   * Sets by which names a server may be asked, such as {@code "store.example"}, besides addresses,
   * {@code localhost}, the name that it listens at and that of its machine; {@code "*"} for any.
   * Requests for others are refused, since a page of anybody's may have its own name lead to a
   * user's loopback address (DNS rebinding). A server with an authenticator for which none is set
   * is asked by any.
   */
  public HttpSettings withHosts(Set<String> names) {
    return new HttpSettings(
        maxRequestBytes, maxResponseBytes, requestMemoryBytes, requestTime, idleTime, names, page);
  }

  /** Says that there is neither a page nor the document of the contracts. */
  public HttpSettings withoutPage() {
    return new HttpSettings(
        maxRequestBytes, maxResponseBytes, requestMemoryBytes, requestTime, idleTime, hosts, false);
  }
}
