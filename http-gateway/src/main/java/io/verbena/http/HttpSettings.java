package io.verbena.http;

import io.verbena.api.settings.Checks;
import java.time.Duration;
import java.util.Set;

/**
 * The limits of a gateway. Immutable; begin with {@link #DEFAULT}.
 *
 * @param maxRequestBytes the size limit of a request's body
 * @param maxResponseBytes the size limit of a result, or of an item of a stream, in the encoding of
 *     sessions
 * @param requestMemoryBytes the memory for all bodies that are read or answered, and for all
 *     answers
 * @param requestTime the time limit for the head of a request, and for its body
 * @param idleTime the longest time that a connection may be open without a request, or that a
 *     client may read nothing of an answer
 * @param hosts the names that requests may use, besides the server's own; empty for any name if the
 *     server has an authenticator
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
  /** 1 MiB, 16 MiB, a quarter of the heap, 10 s, 60 s, with the page. */
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
   * Checks the settings.
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

  /** Sets the size limit of a request's body, in bytes: 1 B to 1 GiB. */
  public HttpSettings withMaxRequestBytes(int bytes) {
    return new HttpSettings(
        bytes, maxResponseBytes, requestMemoryBytes, requestTime, idleTime, hosts, page);
  }

  /**
   * Sets the size limit of a result, or of an item of a stream, in bytes of the encoding of
   * sessions: 4 KiB to 1 GiB. A longer one fails its call with RESOURCE_EXHAUSTED. Its JSON is
   * longer.
   */
  public HttpSettings withMaxResponseBytes(int bytes) {
    return new HttpSettings(
        maxRequestBytes, bytes, requestMemoryBytes, requestTime, idleTime, hosts, page);
  }

  /**
   * Sets the memory for the bodies of all requests and answers, in bytes: at least 1 MiB. A
   * request's body counts sixteen times its size while it is read and answered, because text, JSON
   * and arguments are made of it. An answer, or an item of a stream, of more than 8 KiB counts
   * twice until the client has received it. Connections share one half in equal parts, each at most
   * a quarter of it. The other half is lent in order of arrival. A request or answer that finds no
   * memory fails with RESOURCE_EXHAUSTED. The memory is always enough for two requests of {@code
   * maxRequestBytes}.
   */
  public HttpSettings withRequestMemoryBytes(long bytes) {
    return new HttpSettings(
        maxRequestBytes, maxResponseBytes, bytes, requestTime, idleTime, hosts, page);
  }

  /** Sets the time limit for a request's head, and for its body: 1 ms to a day. */
  public HttpSettings withRequestTime(Duration time) {
    return new HttpSettings(
        maxRequestBytes, maxResponseBytes, requestMemoryBytes, time, idleTime, hosts, page);
  }

  /**
   * Sets the longest time that a connection may be idle, or its client read nothing: 1 ms to a day.
   */
  public HttpSettings withIdleTime(Duration time) {
    return new HttpSettings(
        maxRequestBytes, maxResponseBytes, requestMemoryBytes, requestTime, time, hosts, page);
  }

  /**
   * Sets the names that requests may use, such as {@code "store.example"}. Addresses, {@code
   * localhost}, the name that the server listens at and that of its machine are always allowed;
   * {@code "*"} allows any. Other requests are refused, because any page may map its own name to a
   * user's loopback address (DNS rebinding). A server with an authenticator accepts any name if
   * none is set.
   */
  public HttpSettings withHosts(Set<String> names) {
    return new HttpSettings(
        maxRequestBytes, maxResponseBytes, requestMemoryBytes, requestTime, idleTime, names, page);
  }

  /** Removes the page, and the document of the contracts. */
  public HttpSettings withoutPage() {
    return new HttpSettings(
        maxRequestBytes, maxResponseBytes, requestMemoryBytes, requestTime, idleTime, hosts, false);
  }
}
