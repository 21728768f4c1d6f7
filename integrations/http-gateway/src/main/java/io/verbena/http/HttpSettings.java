package io.verbena.http;

import io.verbena.api.settings.Checks;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The limits of a gateway. Immutable; begin with {@link #DEFAULT}. */
public final class HttpSettings {
  private static final int LEAST_BYTES = 4096;
  private static final int MOST_BYTES = 1 << 30;
  private static final int LEAST_MEMORY = 1 << 20;
  private static final Pattern ORIGIN = Pattern.compile("\\*|https?://[^/?#@\\s*]+");

  /**
   * 1 MiB, 16 MiB, an eighth of the heap, 10 s, 60 s, 15 s, with the page; no other origins, no
   * PROXY protocol.
   */
  public static final HttpSettings DEFAULT = new HttpSettings(new Values());

  private final Values values;

  /** Does not change when an {@code HttpSettings} has it. */
  private static final class Values {
    private int maxRequestBytes = 1 << 20;
    private int maxResponseBytes = 16 << 20;
    private long requestMemoryBytes = Math.max(LEAST_MEMORY, Runtime.getRuntime().maxMemory() / 8);
    private Duration requestTime = Duration.ofSeconds(10);
    private Duration idleTime = Duration.ofSeconds(60);
    private Duration streamSilence = Duration.ofSeconds(15);
    private Set<String> hosts = Set.of();
    private Set<String> origins = Set.of();
    private BooleanSupplier health = () -> true;
    private boolean longsAsText;
    private boolean proxyProtocol;
    private boolean page = true;

    private Values() {}

    private Values(Values from) {
      maxRequestBytes = from.maxRequestBytes;
      maxResponseBytes = from.maxResponseBytes;
      requestMemoryBytes = from.requestMemoryBytes;
      requestTime = from.requestTime;
      idleTime = from.idleTime;
      streamSilence = from.streamSilence;
      hosts = from.hosts;
      origins = from.origins;
      health = from.health;
      longsAsText = from.longsAsText;
      proxyProtocol = from.proxyProtocol;
      page = from.page;
    }
  }

  private HttpSettings(Values values) {
    this.values = values;
  }

  private HttpSettings with(Consumer<Values> change) {
    Values changed = new Values(values);
    change.accept(changed);
    return new HttpSettings(changed);
  }

  private static Duration time(String name, Duration time) {
    Duration least = Duration.ofMillis(1);
    return Checks.between(name, time, least, Duration.ofDays(1), "1 ms to a day");
  }

  /** Returns the size limit of a request's body. */
  public int maxRequestBytes() {
    return values.maxRequestBytes;
  }

  /** Returns the size limit of a result, or of an item of a stream, in the encoding of sessions. */
  public int maxResponseBytes() {
    return values.maxResponseBytes;
  }

  /** Returns the memory for all bodies that are read or answered, and for all answers. */
  public long requestMemoryBytes() {
    return values.requestMemoryBytes;
  }

  /** Returns the time limit for the head of a request, and for its body. */
  public Duration requestTime() {
    return values.requestTime;
  }

  /**
   * Returns the longest time that a connection may be open without a request, or that a client may
   * read nothing of an answer.
   */
  public Duration idleTime() {
    return values.idleTime;
  }

  /** Returns the silence of a stream after which a sign of life is sent. */
  public Duration streamSilence() {
    return values.streamSilence;
  }

  /**
   * Returns the names that requests may use, besides the server's own; empty for any name if the
   * server has an authenticator.
   */
  public Set<String> hosts() {
    return values.hosts;
  }

  /** Returns the origins whose pages may call; {@code "*"} for any. */
  public Set<String> origins() {
    return values.origins;
  }

  /** Returns what {@code /healthz} asks. */
  public BooleanSupplier health() {
    return values.health;
  }

  /** Returns whether long numbers are text in answers unless a request says otherwise. */
  public boolean longsAsText() {
    return values.longsAsText;
  }

  /** Returns whether connections may begin with a header of the PROXY protocol. */
  public boolean proxyProtocol() {
    return values.proxyProtocol;
  }

  /** Returns whether there is a page at {@code /}, and the document at {@code /openapi.json}. */
  public boolean page() {
    return values.page;
  }

  /** Sets the size limit of a request's body, in bytes: 1 B to 1 GiB. */
  public HttpSettings withMaxRequestBytes(int bytes) {
    Checks.between("maxRequestBytes", bytes, 1, MOST_BYTES);
    return with(set -> set.maxRequestBytes = bytes);
  }

  /**
   * Sets the size limit of a result, or of an item of a stream, in bytes of the encoding of
   * sessions: 4 KiB to 1 GiB. A longer one fails its call with RESOURCE_EXHAUSTED. Its JSON is
   * longer.
   */
  public HttpSettings withMaxResponseBytes(int bytes) {
    Checks.between("maxResponseBytes", bytes, LEAST_BYTES, MOST_BYTES);
    return with(set -> set.maxResponseBytes = bytes);
  }

  /**
   * Sets the memory for the bodies of all requests and answers, in bytes: at least 1 MiB. A
   * request's body counts sixteen times its size while it is read and answered, because text, JSON
   * and arguments are made of it. The JSON of an answer, or of an item of a stream, of more than 8
   * KiB counts until the client has received it. Connections share one half in equal parts, each at
   * most a quarter of it. The other half is lent in order of arrival. A request or answer that
   * finds no memory fails with RESOURCE_EXHAUSTED. The memory is always enough for two requests of
   * {@code maxRequestBytes}.
   */
  public HttpSettings withRequestMemoryBytes(long bytes) {
    Checks.between("requestMemoryBytes", bytes, LEAST_MEMORY, Long.MAX_VALUE);
    return with(set -> set.requestMemoryBytes = bytes);
  }

  /** Sets the time limit for a request's head, and for its body: 1 ms to a day. */
  public HttpSettings withRequestTime(Duration time) {
    Duration checked = time("requestTime", time);
    return with(set -> set.requestTime = checked);
  }

  /**
   * Sets the longest time that a connection may be idle, or its client read nothing: 1 ms to a day.
   */
  public HttpSettings withIdleTime(Duration time) {
    Duration checked = time("idleTime", time);
    return with(set -> set.idleTime = checked);
  }

  /**
   * Sets the silence of a stream after which a comment (events) or an empty line (JSON) is sent, so
   * that no proxy takes the connection for dead: 1 ms to a day.
   */
  public HttpSettings withStreamSilence(Duration time) {
    Duration checked = time("streamSilence", time);
    return with(set -> set.streamSilence = checked);
  }

  /**
   * Sets the names that requests may use, such as {@code "store.example"}. Addresses, {@code
   * localhost}, the name that the server listens at and that of its machine are always allowed;
   * {@code "*"} allows any. Other requests are refused, because any page may map its own name to a
   * user's loopback address (DNS rebinding). A server with an authenticator accepts any name if
   * none is set.
   */
  public HttpSettings withHosts(Set<String> names) {
    Set<String> copy = Set.copyOf(names);
    return with(set -> set.hosts = copy);
  }

  /**
   * Sets the origins whose pages may call this server from a browser, such as {@code
   * "https://shop.example"}; {@code "*"} allows any. Pages of the server's own origin may always.
   * The server answers to browsers' questions by the CORS protocol. No cookies are involved: who
   * calls is known by the header {@code Authorization}, which a page sets itself.
   *
   * @throws IllegalArgumentException if one is not {@code "*"}, or a scheme and a host without a
   *     path
   */
  public HttpSettings withOrigins(Set<String> origins) {
    for (String origin : origins) {
      Checks.that(
          ORIGIN.matcher(origin).matches(), "origins", "like https://shop.example, or *", origin);
    }
    Set<String> copy = Set.copyOf(origins);
    return with(set -> set.origins = copy);
  }

  /**
   * Sets what decides whether {@code GET /healthz} answers 200, or 503. It must return at once.
   * While the server drains, the answer is 503 in any case.
   *
   * <pre>{@code
   * HttpSettings.DEFAULT.withHealth(() -> board.check("") == Health.Status.SERVING)
   * }</pre>
   */
  public HttpSettings withHealth(BooleanSupplier serving) {
    Checks.required("health", serving);
    return with(set -> set.health = serving);
  }

  /**
   * Makes {@code long}, {@code BigInteger} and {@code BigDecimal} text in answers, as in the JSON
   * of Protocol Buffers, because JavaScript rounds numbers of more than 53 bits. The header {@code
   * Verbena-Longs: text} or {@code number} decides for a single request. Requests may have both
   * forms.
   */
  public HttpSettings withLongsAsText() {
    return with(set -> set.longsAsText = true);
  }

  /**
   * Allows connections to begin with a header of the PROXY protocol (1 or 2), and takes the
   * client's address from it. The header is not required. Whoever reaches the port can send one, so
   * the port must be reachable for the load balancer only. The load balancer must not use TLS to
   * the server.
   */
  public HttpSettings withProxyProtocol() {
    return with(set -> set.proxyProtocol = true);
  }

  /** Removes the page, and the document of the contracts. */
  public HttpSettings withoutPage() {
    return with(set -> set.page = false);
  }

  private Map<String, Object> named() {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("maxRequestBytes", values.maxRequestBytes);
    all.put("maxResponseBytes", values.maxResponseBytes);
    all.put("requestMemoryBytes", values.requestMemoryBytes);
    all.put("requestTime", values.requestTime);
    all.put("idleTime", values.idleTime);
    all.put("streamSilence", values.streamSilence);
    all.put("hosts", values.hosts);
    all.put("origins", values.origins);
    all.put("health", values.health);
    all.put("longsAsText", values.longsAsText);
    all.put("proxyProtocol", values.proxyProtocol);
    all.put("page", values.page);
    return all;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof HttpSettings it && named().equals(it.named());
  }

  @Override
  public int hashCode() {
    return named().hashCode();
  }

  /** Returns the name and value of each option. */
  @Override
  public String toString() {
    String all = named().toString();
    return "HttpSettings[" + all.substring(1, all.length() - 1) + "]";
  }
}
