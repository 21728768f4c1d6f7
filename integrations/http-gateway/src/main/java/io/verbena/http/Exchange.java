package io.verbena.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.verbena.api.Answer;
import io.verbena.api.CallOptions;
import io.verbena.api.ClientCall;
import io.verbena.api.ClientInterceptor;
import io.verbena.api.Metadata;
import io.verbena.api.Priority;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.Session;
import io.verbena.api.StreamIterator;
import io.verbena.api.Streams;
import io.verbena.api.settings.OneLine;
import io.verbena.api.wire.WireException;
import io.verbena.codec.json.DeclaredException;
import io.verbena.codec.json.Failure;
import io.verbena.codec.json.Form;
import io.verbena.codec.json.Json;
import io.verbena.codec.json.JsonMethod;
import io.verbena.codec.json.WrongJsonException;
import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.ThrottledLog;
import io.verbena.link.runtime.Thrown;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One request and its answer, on a thread of its own. */
final class Exchange {
  private static final ThrottledLog FAILED =
      ThrottledLog.of(Exchange.class, "HTTP requests that could not be answered");

  private static final String JSON = "application/json";
  private static final String HTML = "text/html; charset=utf-8";
  private static final String EVENTS = "text/event-stream";
  private static final String LINES = "application/x-ndjson";

  private static final String STATUS = "verbena-status";
  private static final String TIMEOUT = "verbena-timeout";
  private static final String LONGS = "verbena-longs";
  private static final String METADATA = "verbena-metadata-";
  private static final String BINARY_METADATA = "verbena-metadata-bin-";

  /** Headers that become metadata under their own names: those of W3C's trace context. */
  private static final List<String> ALSO_METADATA = List.of("traceparent", "tracestate", "baggage");

  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH);

  private static final Pattern BEARER = Pattern.compile("(?i)bearer +(\\S+) *");
  private static final Pattern TIME = Pattern.compile("(\\d{1,9})(ms|s|m|h)");
  private static final Pattern GRPC_TIME = Pattern.compile("(\\d{1,8})([HMSmun])");
  private static final Pattern PRINTABLE = Pattern.compile("[\\x20-\\x7e]*");

  /** A path, after its host if the client takes this server for a proxy. The query is not used. */
  private static final Pattern TARGET =
      Pattern.compile("((?i:https?)://(?<host>[^/?#]+))?(?<path>(/[^?#]*)?)([?#].*)?");

  private static final Pattern OWN_ORIGIN =
      Pattern.compile("(?i)https?://(?<authority>(?<host>\\[[0-9a-f:.]+]|[^/:]+)(:\\d+)?)");

  private static final Pattern PREFIX = Pattern.compile("(/[A-Za-z0-9._~%-]+)+/?");
  private static final Set<String> PAGES = Set.of("/", "/openapi.json");
  private static final String ALLOWED = "GET, HEAD, POST, OPTIONS";

  /** Browsers keep the answer to their question for so long. */
  private static final int MAX_AGE_SECONDS = 600;

  private static final long LONGEST_WAIT_NANOS = Duration.ofDays(1).toNanos();

  private static final byte[] COMMENT = ":\n\n".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] EMPTY_LINE = "\n".getBytes(StandardCharsets.US_ASCII);

  /** The page may load nothing from elsewhere, and no other page may frame it. */
  private static final String PAGE_POLICY =
      "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src"
          + " 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private static final HttpResponseStatus CLIENT_GONE =
      new HttpResponseStatus(499, "Client Closed Request");

  private final HttpConnection connection;
  private final Contracts contracts;
  private final Object request;
  private boolean keepsAlive;
  private boolean begun;
  private boolean longsAsText;
  private String allowed = "POST, OPTIONS";

  /** The allowed origin of the page that asks; null for the server's own, and other clients. */
  private @Nullable String origin;

  /** For what is sent. */
  private final AnswerMemory memory;

  /** Metadata that came with the reply. */
  private volatile Metadata reply = Metadata.EMPTY;

  /**
   * Makes an exchange.
   *
   * @param request the complete head of a request, or a {@link Problem} with it
   */
  Exchange(HttpConnection connection, Contracts contracts, Object request) {
    this.connection = connection;
    this.contracts = contracts;
    this.request = request;
    this.memory = connection.answerMemory();
  }

  /** Answers the request; returns whether the connection may be used for another. */
  boolean answer() {
    try (memory) {
      try {
        if (request instanceof HttpRequest asked) {
          // If a request of HTTP/1.0 has several lengths, this decoder uses the first, and a proxy
          // may use another.
          keepsAlive = HttpUtil.isKeepAlive(asked) && !isOfVersion10();
          answer(asked);
        } else {
          throw (Problem) request;
        }
      } catch (InterruptedException e) {
        throw e;
      } catch (Throwable e) {
        keepsAlive &= !(e instanceof Error);
        failed(e);
      }
    } catch (InterruptedException e) {
      keepsAlive = false; // the client is gone
    }
    return keepsAlive;
  }

  private void failed(Throwable e) throws InterruptedException {
    Throwable told = memory.wasRefused() ? noMemory() : e;
    ObjectNode why = failure(told);
    Pieces words;
    try {
      words = Pieces.of(memory, "", why, "\n");
    } catch (WireException noMemory) { // its own words are short
      told = noMemory();
      why = failure(told);
      words = Pieces.of(memory, "", why, "\n");
    }
    fail(statusOf(told), why.path("status").asText(), words);
  }

  private static Problem noMemory() {
    return HttpConnection.tooMuchAtOnce("the answer (its call was executed)");
  }

  private ObjectNode failure(Throwable e) {
    return switch (e) {
      case RpcException failure -> Failure.of(failure, Thrown.reason(failure));
      case DeclaredException declared -> Failure.of(declared);
      case Problem wrong -> Failure.of(wrong.kind().name(), String.valueOf(wrong.getMessage()));
      case WrongJsonException wrong ->
          Failure.of(RpcStatus.INVALID_ARGUMENT.name(), String.valueOf(wrong.getMessage()));
      case WireException wrong ->
          Failure.of(RpcStatus.INCOMPATIBLE.name(), String.valueOf(wrong.getMessage()));
      default -> {
        FAILED.error("A request could not be answered: {}", this, e);
        yield Failure.of(RpcStatus.INTERNAL.name(), "the server's log says why");
      }
    };
  }

  /** Describes the request for the log. */
  @Override
  public String toString() {
    return request instanceof HttpRequest asked
        ? "%s %s of %s".formatted(asked.method(), asked.uri(), connection.peer())
        : "none of " + connection.peer();
  }

  private static HttpResponseStatus statusOf(Throwable e) {
    return switch (e) {
      case RpcException failure -> statusOf(failure.status());
      case Problem wrong -> wrong.status();
      case DeclaredException _ -> HttpResponseStatus.UNPROCESSABLE_ENTITY;
      case WrongJsonException _ -> HttpResponseStatus.BAD_REQUEST;
      default -> HttpResponseStatus.INTERNAL_SERVER_ERROR;
    };
  }

  /** Maps a status to HTTP, as gRPC does. */
  private static HttpResponseStatus statusOf(RpcStatus status) {
    return switch (status) {
      case CANCELLED -> CLIENT_GONE;
      case DEADLINE_EXCEEDED -> HttpResponseStatus.GATEWAY_TIMEOUT;
      case UNIMPLEMENTED -> HttpResponseStatus.NOT_IMPLEMENTED;
      case UNAVAILABLE -> HttpResponseStatus.SERVICE_UNAVAILABLE;
      case RESOURCE_EXHAUSTED -> HttpResponseStatus.TOO_MANY_REQUESTS;
      case UNAUTHENTICATED -> HttpResponseStatus.UNAUTHORIZED;
      case PERMISSION_DENIED -> HttpResponseStatus.FORBIDDEN;
      case INCOMPATIBLE -> HttpResponseStatus.INTERNAL_SERVER_ERROR;
      case PROTOCOL_ERROR -> HttpResponseStatus.BAD_GATEWAY;
      default ->
          status.isServerFault()
              ? HttpResponseStatus.INTERNAL_SERVER_ERROR
              : HttpResponseStatus.BAD_REQUEST;
    };
  }

  // ---- requests ----

  private void answer(HttpRequest asked) throws Exception {
    HttpHeaders headers = asked.headers();
    if (asked.uri().equals("*") && asked.method().equals(HttpMethod.OPTIONS)) {
      connection.body(asked);
      options();
      return;
    }
    Target target = target(asked);
    String path = target.path();
    boolean reads = asked.method().equals(HttpMethod.GET) || asked.method().equals(HttpMethod.HEAD);
    if (reads && path.equals("/healthz")) { // probes use any name of the machine
      connection.body(asked);
      health();
      return;
    }
    checkHost(target.host());
    checkOrigin(headers, target.host());
    String expects = only(headers, HttpHeaderNames.EXPECT);
    if (expects != null && !HttpUtil.is100ContinueExpected(asked)) {
      throw new Problem(
          HttpResponseStatus.EXPECTATION_FAILED,
          RpcStatus.INVALID_ARGUMENT,
          "the header Expect is supported for 100-continue only");
    }
    boolean page = connection.gateway().settings().page() && PAGES.contains(path);
    if (asked.method().equals(HttpMethod.OPTIONS)) {
      connection.body(asked);
      options();
    } else if (page && !reads) {
      allowed = "GET, HEAD, OPTIONS";
      throw new Problem(
          HttpResponseStatus.METHOD_NOT_ALLOWED,
          RpcStatus.INVALID_ARGUMENT,
          "this path is read by GET; call methods by POST at /SERVICE/METHOD");
    } else if (page && path.equals("/")) {
      connection.body(asked);
      page();
    } else {
      longsAsText = longsAsText(headers);
      // A client without permission sends no body.
      Session session = connection.session(token(headers));
      byte[] body = connection.body(asked);
      if (page) {
        ObjectNode document = contracts.document(longsAsText, prefix(headers));
        send(head(HttpResponseStatus.OK, JSON), Pieces.of(memory, "", document, "\n"));
      } else {
        call(asked, target, session, body);
      }
    }
  }

  private void health() throws InterruptedException {
    boolean serves = connection.gateway().isServing();
    ObjectNode told = Json.EMPTY.objectNode().put("status", serves ? "SERVING" : "NOT_SERVING");
    HttpResponseStatus status =
        serves ? HttpResponseStatus.OK : HttpResponseStatus.SERVICE_UNAVAILABLE;
    send(head(status, JSON), Pieces.of(memory, "", told, "\n"));
  }

  /**
   * Answers a question of what may be asked; browsers ask before a page of another origin calls.
   */
  private void options() throws InterruptedException {
    HttpResponse head = head(HttpResponseStatus.NO_CONTENT, JSON);
    HttpHeaders headers = head.headers();
    headers.remove(HttpHeaderNames.CONTENT_TYPE);
    headers.set(HttpHeaderNames.ALLOW, ALLOWED);
    if (origin != null && request instanceof HttpRequest asked) {
      headers.set(HttpHeaderNames.ACCESS_CONTROL_ALLOW_METHODS, ALLOWED);
      headers.set(HttpHeaderNames.ACCESS_CONTROL_MAX_AGE, MAX_AGE_SECONDS);
      String wanted = asked.headers().get(HttpHeaderNames.ACCESS_CONTROL_REQUEST_HEADERS);
      if (wanted != null) {
        headers.set(HttpHeaderNames.ACCESS_CONTROL_ALLOW_HEADERS, wanted);
      }
    }
    send(full(head, Unpooled.EMPTY_BUFFER));
  }

  private boolean longsAsText(HttpHeaders headers) throws Problem {
    String asked = only(headers, LONGS);
    return switch (asked) {
      case null -> connection.gateway().settings().longsAsText();
      case "text" -> true;
      case "number" -> false;
      default ->
          throw Problem.wrong(
              "the header Verbena-Longs must be number or text, not '%s'".formatted(asked));
    };
  }

  /** Returns the part of the path that a proxy tells it has removed. */
  private static String prefix(HttpHeaders headers) throws Problem {
    String told = only(headers, "x-forwarded-prefix");
    if (told == null || told.equals("/")) {
      return "";
    }
    if (!PREFIX.matcher(told).matches()) {
      throw Problem.wrong("the header X-Forwarded-Prefix must be a path such as /api");
    }
    return told.endsWith("/") ? told.substring(0, told.length() - 1) : told;
  }

  /**
   * The target of a request.
   *
   * @param host null if a client of HTTP/1.0 sends none
   * @param path as it was sent: percent signs are not decoded yet, so that they cannot add a
   *     separator
   */
  private record Target(@Nullable String host, String path) {
    /** Returns the decoded text of a part. */
    String decoded(int from, int to) throws Problem {
      try {
        return new QueryStringDecoder(path.substring(from, to)).path();
      } catch (IllegalArgumentException e) {
        throw Problem.wrong("the path is malformed: " + e.getMessage());
      }
    }
  }

  private Target target(HttpRequest asked) throws Problem {
    String host = only(asked.headers(), HttpHeaderNames.HOST);
    if (host == null && !isOfVersion10()) {
      throw Problem.wrong("the header Host is missing");
    }
    Matcher parts = TARGET.matcher(asked.uri());
    boolean fits = parts.matches();
    String own = fits ? parts.group("host") : null; // precedes the header
    String path = fits ? parts.group("path") : "";
    if (own == null && path.isEmpty()) {
      throw Problem.wrong("the request has no path, such as /SERVICE/METHOD");
    }
    return new Target(own == null ? host : own, path.isEmpty() ? "/" : path);
  }

  /**
   * Returns the value of a header; null if there is none.
   *
   * @throws Problem if there are several: a proxy may have used another one
   */
  private static @Nullable String only(HttpHeaders headers, CharSequence name) throws Problem {
    List<String> all = headers.getAll(name);
    if (all.size() > 1) {
      throw Problem.wrong("the header %s occurs %d times".formatted(name, all.size()));
    }
    return all.isEmpty() ? null : all.getFirst();
  }

  private void checkHost(@Nullable String host) throws Problem {
    if (host != null && !Hosts.isWellFormed(host)) {
      throw Problem.wrong("the host is malformed: '%s'".formatted(OneLine.of(host)));
    }
    Hosts hosts = connection.gateway().hosts();
    if (host != null && hosts != null && !hosts.allow(host)) {
      throw new Problem(
          HttpResponseStatus.FORBIDDEN,
          RpcStatus.PERMISSION_DENIED,
          "'%s' is not a name of this server; allow it there by HttpSettings.withHosts"
              .formatted(host));
    }
  }

  /**
   * Refuses requests from pages of other origins. A browser sends them with the user's credentials.
   */
  private void checkOrigin(HttpHeaders headers, @Nullable String host) throws Problem {
    String from = only(headers, HttpHeaderNames.ORIGIN);
    if (from == null || isOwn(from, host, headers)) {
      return;
    }
    Set<String> allowed = connection.gateway().settings().origins();
    if (!allowed.contains("*") && !allowed.contains(from)) {
      throw new Problem(
          HttpResponseStatus.FORBIDDEN,
          RpcStatus.PERMISSION_DENIED,
          "pages of other origins may not call this server; allow them there by"
              + " HttpSettings.withOrigins. Behind a proxy, the server's own page needs the header"
              + " Host as the browser sent it: proxy_set_header Host $http_host");
    }
    origin = from;
  }

  /**
   * Returns whether a page of this server asks. Proxies may change the host or drop its port, and
   * no page can forge what browsers and proxies say about that.
   */
  private boolean isOwn(String from, @Nullable String host, HttpHeaders headers) {
    if (connection.isEncrypted() && !from.regionMatches(true, 0, "https://", 0, 8)) {
      return false;
    }
    if ("same-origin".equals(headers.get("sec-fetch-site"))) {
      return true;
    }
    Matcher parts = OWN_ORIGIN.matcher(from);
    if (host == null || !parts.matches()) {
      return false;
    }
    boolean proxied = headers.contains("x-forwarded-for") || headers.contains("x-forwarded-proto");
    return host.equalsIgnoreCase(parts.group("authority"))
        || (proxied && host.equalsIgnoreCase(parts.group("host")))
        || parts.group("authority").equalsIgnoreCase(headers.get("x-forwarded-host"));
  }

  private void page() throws IOException, InterruptedException {
    try (InputStream page = Exchange.class.getResourceAsStream("page.html")) {
      byte[] bytes = Objects.requireNonNull(page, "page.html").readAllBytes();
      HttpResponse head = head(HttpResponseStatus.OK, HTML);
      head.headers().set("content-security-policy", PAGE_POLICY);
      head.headers().set(HttpHeaderNames.CONTENT_LENGTH, bytes.length);
      send(full(head, Unpooled.wrappedBuffer(bytes)));
    }
  }

  /** Makes the call, and sends its result. */
  private void call(HttpRequest asked, Target target, Session session, byte[] body)
      throws Exception {
    HttpHeaders headers = asked.headers();
    String path = target.path();
    int slash = path.indexOf('/', 1);
    if (slash < 0) {
      throw new Problem(
          HttpResponseStatus.NOT_FOUND,
          RpcStatus.UNIMPLEMENTED,
          "there is nothing at this path: call methods by POST at /SERVICE/METHOD");
    }
    Contracts.Method method =
        contracts.method(target.decoded(1, slash), target.decoded(slash + 1, path.length()));
    if (!asked.method().equals(HttpMethod.POST)) {
      throw new Problem(
          HttpResponseStatus.METHOD_NOT_ALLOWED,
          RpcStatus.INVALID_ARGUMENT,
          "call methods by POST, with their arguments as JSON: curl -d '{}' http://%s%s"
              .formatted(headers.get(HttpHeaderNames.HOST, "HOST:PORT"), path));
    }
    String encoding = only(headers, HttpHeaderNames.CONTENT_ENCODING);
    if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
      throw new Problem(
          HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE,
          RpcStatus.INVALID_ARGUMENT,
          "requests must not be compressed; this one has content-encoding " + encoding);
    }
    Duration given = timeout(headers);
    CallOptions options =
        CallOptions.DEFAULT
            .withTimeout(given)
            .withMetadata(metadata(headers))
            .withInterceptors(new ReplyMetadata());
    Arguments arguments = Arguments.of(method.json(), json(body));
    String accept = headers.get(HttpHeaderNames.ACCEPT);
    boolean asEvents = accept != null && accept.contains(EVENTS);
    JsonMethod.Result<Pieces> result;
    if (method.json().returnsItems()) {
      Form<Pieces> form = Pieces.items(memory, asEvents);
      result = call(session, method.json(), options, arguments, form);
    } else {
      Duration left = reserve(method, given == null ? method.timeout() : given);
      try {
        result =
            call(
                session,
                method.json(),
                given == null ? options : options.withTimeout(left),
                arguments,
                Pieces.results(memory));
        if (result.value() != null) {
          method.answers().made(result.value().counted());
        }
      } finally {
        method.answers().ended(); // those that wait for the first answer read its length then
      }
      memory.made();
    }
    if (result.items() != null) {
      stream(result.items(), asEvents);
    } else if (result.value() != null) {
      send(head(HttpResponseStatus.OK, JSON), result.value());
    } else {
      HttpResponse head = head(HttpResponseStatus.NO_CONTENT, JSON);
      head.headers().remove(HttpHeaderNames.CONTENT_TYPE);
      send(full(head, Unpooled.EMPTY_BUFFER));
    }
  }

  /**
   * Waits until there is memory for an answer like the method's earlier ones: a call whose answer
   * cannot be sent is not made.
   *
   * @return what is left of the time limit
   */
  private Duration reserve(Contracts.Method method, Duration limit)
      throws Problem, InterruptedException {
    long begun = System.nanoTime();
    long most = Math.min(NanoClock.nanos(limit), LONGEST_WAIT_NANOS);
    long expected = method.answers().expected();
    if (expected > 0 && !memory.reserve(expected, begun + most)) {
      throw HttpConnection.tooMuchAtOnce(
          "an answer of %d bytes, like the method's earlier ones (its call was not executed),"
              .formatted(expected));
    }
    Duration left = limit.minusNanos(System.nanoTime() - begun);
    return left.isPositive() ? left : Duration.ofMillis(1);
  }

  private JsonMethod.Result<Pieces> call(
      Session session, JsonMethod method, CallOptions options, Arguments given, Form<Pieces> form)
      throws Exception {
    try {
      return method.call(session, options, given.values(), given.items(), longsAsText, form);
    } catch (RpcException | DeclaredException e) {
      WrongJsonException item = method.wrongItem();
      throw item == null ? e : item; // the failure of the item is the reason that the call failed
    }
  }

  private static JsonNode json(byte[] body) throws Problem {
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(body)).toString();
    } catch (CharacterCodingException e) {
      throw Problem.wrong("the request's body is not UTF-8");
    }
    return text.isBlank() ? Json.EMPTY : Json.parse(text);
  }

  /**
   * The arguments of a call.
   *
   * @param values without the stream
   * @param items the stream's items if a parameter is a stream; in the body they are an array among
   *     the values, from which it is removed
   */
  private record Arguments(JsonNode values, Flow.Publisher<JsonMethod.Item> items) {
    static Arguments of(JsonMethod method, JsonNode given) {
      String name = method.itemsName();
      if (name == null) {
        return new Arguments(given, Streams.of(List.of()));
      }
      JsonNode stream =
          switch (given) {
            case ObjectNode object -> object.remove(name);
            case ArrayNode array when !array.isEmpty() -> array.remove(array.size() - 1);
            default -> null;
          };
      if (stream == null || !stream.isArray()) {
        throw WrongJsonException.expected("an array of the stream's items", stream).within(name);
      }
      List<JsonMethod.Item> items = new ArrayList<>();
      for (JsonNode item : stream) {
        items.add(new JsonMethod.Item(name + "[" + items.size() + "]", () -> item));
      }
      return new Arguments(given, Streams.of(items));
    }
  }

  // ---- headers ----

  private static String token(HttpHeaders headers) throws Problem {
    String shown = only(headers, HttpHeaderNames.AUTHORIZATION);
    if (shown == null) {
      return "";
    }
    Matcher bearer = BEARER.matcher(shown);
    if (!bearer.matches()) {
      throw new Problem(
          HttpResponseStatus.UNAUTHORIZED,
          RpcStatus.UNAUTHENTICATED,
          "the header Authorization must be 'Bearer TOKEN'");
    }
    return bearer.group(1);
  }

  private static @Nullable Duration timeout(HttpHeaders headers) throws Problem {
    String ours = only(headers, TIMEOUT);
    String grpcs = only(headers, "grpc-timeout");
    String given = ours == null ? grpcs : ours;
    if (given == null) {
      return null;
    }
    Matcher time = (ours == null ? GRPC_TIME : TIME).matcher(given);
    if (!time.matches() || Long.parseLong(time.group(1)) == 0) {
      throw Problem.wrong(
          ours == null
              ? "the header grpc-timeout must be like 250m or 2S, not '%s'".formatted(given)
              : "the header Verbena-Timeout must be like 250ms, 2s, 1m or 1h, not '%s'"
                  .formatted(given));
    }
    long number = Long.parseLong(time.group(1));
    return switch (time.group(2)) {
      case "H", "h" -> Duration.ofHours(number);
      case "M" -> Duration.ofMinutes(number);
      case "m" -> ours == null ? Duration.ofMillis(number) : Duration.ofMinutes(number);
      case "S", "s" -> Duration.ofSeconds(number);
      case "ms" -> Duration.ofMillis(number);
      case "u" -> Duration.ofNanos(1000 * number);
      default -> Duration.ofNanos(number);
    };
  }

  private static Metadata metadata(HttpHeaders headers) throws Problem {
    Metadata metadata = Metadata.EMPTY;
    for (Map.Entry<String, String> header : headers) {
      String name = header.getKey().toLowerCase(Locale.ROOT);
      String value = header.getValue();
      try {
        if (name.startsWith(BINARY_METADATA)) {
          var key = Metadata.Key.bytes(name.substring(BINARY_METADATA.length()));
          metadata = metadata.plus(key, Base64.getDecoder().decode(value));
        } else if (name.startsWith(METADATA)) {
          checkText(name, value);
          metadata = plus(metadata, name.substring(METADATA.length()), value);
        } else if (ALSO_METADATA.contains(name)) {
          metadata = metadata.plus(Metadata.Key.text(name), value);
        }
      } catch (IllegalArgumentException e) {
        throw Problem.wrong("the header %s: %s".formatted(name, e.getMessage()));
      }
    }
    return metadata;
  }

  private static Metadata plus(Metadata metadata, String name, String value) {
    return name.equals(Priority.KEY_NAME)
        ? Priority.ofWord(value).in(metadata)
        : metadata.plus(Metadata.Key.text(name), value);
  }

  private static void checkText(String name, String value) throws Problem {
    if (!PRINTABLE.matcher(value).matches()) {
      throw Problem.wrong(
          "the header %s has characters that are not printable ASCII; send its bytes as base64, in %s%s"
              .formatted(name, BINARY_METADATA, name.substring(METADATA.length())));
    }
  }

  /** Keeps the metadata that come with the reply. */
  private final class ReplyMetadata implements ClientInterceptor {
    @Override
    public <R> CompletionStage<Answer<R>> intercept(ClientCall<R> call) {
      return call.proceed().whenComplete((answer, failure) -> reply = call.replyMetadata());
    }
  }

  // ---- the answer ----

  private HttpResponse head(HttpResponseStatus status, String type) {
    HttpResponse head = new DefaultHttpResponse(HttpVersion.HTTP_1_1, status);
    HttpHeaders headers = head.headers();
    headers.set(HttpHeaderNames.CONTENT_TYPE, type);
    headers.set(HttpHeaderNames.DATE, DATE.format(ZonedDateTime.now(ZoneOffset.UTC)));
    headers.set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE);
    headers.set("x-content-type-options", "nosniff");
    allowOrigin(headers);
    Metadata beside = reply;
    for (String name : beside.names()) {
      if (name.startsWith(Metadata.RESERVED_PREFIX)) {
        continue;
      }
      for (byte[] value : beside.all(Metadata.Key.bytes(name))) {
        String text = new String(value, StandardCharsets.UTF_8);
        if (PRINTABLE.matcher(text).matches() && !(METADATA + name).startsWith(BINARY_METADATA)) {
          headers.add(METADATA + name, text);
        } else {
          headers.add(BINARY_METADATA + name, Base64.getEncoder().encodeToString(value));
        }
      }
    }
    return head;
  }

  private void allowOrigin(HttpHeaders headers) {
    if (!connection.gateway().settings().origins().isEmpty()) {
      headers.set(HttpHeaderNames.VARY, HttpHeaderNames.ORIGIN);
    }
    if (origin != null) {
      headers.set(HttpHeaderNames.ACCESS_CONTROL_ALLOW_ORIGIN, origin);
      List<String> told = new ArrayList<>(List.of(STATUS));
      reply.names().forEach(name -> told.add(METADATA + name));
      reply.names().forEach(name -> told.add(BINARY_METADATA + name));
      headers.set(HttpHeaderNames.ACCESS_CONTROL_EXPOSE_HEADERS, String.join(", ", told));
    }
  }

  private static FullHttpResponse full(HttpResponse head, ByteBuf body) {
    return new DefaultFullHttpResponse(
        head.protocolVersion(), head.status(), body, head.headers(), EmptyHttpHeaders.INSTANCE);
  }

  /** Sends an answer or its head. */
  private void send(HttpResponse response) throws InterruptedException {
    keepsAlive &= connection.mayGoOn();
    if (!keepsAlive) {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    }
    begun = true;
    connection.send(response);
  }

  /** Sends an answer, the next part when the client has taken the one before. */
  private void send(HttpResponse head, Pieces body) throws InterruptedException {
    head.headers().set(HttpHeaderNames.CONTENT_LENGTH, body.length());
    ByteBuf part = body.next(connection.buffers());
    if (body.isEmpty()) {
      send(full(head, part));
      return;
    }
    send(head);
    while (!body.isEmpty()) {
      connection.send(new DefaultHttpContent(part));
      part = body.next(connection.buffers());
    }
    connection.send(new DefaultLastHttpContent(part));
  }

  private boolean isOfVersion10() {
    return request instanceof HttpRequest asked
        && asked.protocolVersion().compareTo(HttpVersion.HTTP_1_1) < 0;
  }

  /**
   * Clients that do not ask may refuse trailers, as the JDK's does since 25.0.5 (RFC 9110, 6.5.1).
   */
  private boolean asksForTrailers() {
    return !isOfVersion10()
        && request instanceof HttpRequest asked
        && asked.headers().containsValue(HttpHeaderNames.TE, HttpHeaderValues.TRAILERS, true);
  }

  private void fail(HttpResponseStatus status, String kind, Pieces why)
      throws InterruptedException {
    if (begun || connection.isGone()) {
      keepsAlive = false; // the answer has begun, and its status cannot be changed
      return;
    }
    HttpResponse response = head(status, JSON);
    response.headers().set(STATUS, kind);
    if (status.equals(HttpResponseStatus.UNAUTHORIZED)) {
      response.headers().set(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer");
    } else if (status.equals(HttpResponseStatus.METHOD_NOT_ALLOWED)) {
      response.headers().set(HttpHeaderNames.ALLOW, allowed);
    }
    send(response, why);
  }

  // ---- streams ----

  private void stream(Flow.Publisher<Pieces> items, boolean asEvents) throws InterruptedException {
    HttpResponse response = head(HttpResponseStatus.OK, asEvents ? EVENTS : LINES);
    response.headers().set("x-accel-buffering", "no"); // or nginx keeps what it gets
    if (!isOfVersion10()) {
      response.headers().set(HttpHeaderNames.TRANSFER_ENCODING, HttpHeaderValues.CHUNKED);
    }
    boolean trailers = asksForTrailers();
    if (trailers) {
      response.headers().set(HttpHeaderNames.TRAILER, STATUS);
    }
    send(response);
    String kind = "OK";
    try (StreamIterator<Pieces> each = Streams.iterate(items)) {
      connection.keepAlive();
      byte[] sign = asEvents ? COMMENT : EMPTY_LINE;
      connection.signOfLife(sign);
      while (each.hasNext()) {
        connection.signOfLife(null);
        sendItem(each.next());
        connection.signOfLife(sign);
      }
      connection.signOfLife(null);
      if (asEvents) {
        sendItem(Pieces.of(memory, "event: end\ndata: ", Json.EMPTY, "\n\n"));
      } else if (isOfVersion10()) { // its end looks like a cut
        sendItem(Pieces.of(memory, "{\"end\":", Json.EMPTY, "}\n"));
      }
    } catch (RuntimeException e) {
      connection.signOfLife(null);
      if (connection.isGone()) {
        throw new InterruptedException("the client is gone");
      }
      ObjectNode why = failure(memory.wasRefused() ? noMemory() : e);
      kind = why.path("status").asText();
      ObjectNode line = Json.EMPTY.objectNode().set("error", why);
      sendItem(
          asEvents
              ? Pieces.of(memory, "event: error\ndata: ", why, "\n\n")
              : Pieces.of(memory, "", line, "\n"));
    }
    LastHttpContent last = new DefaultLastHttpContent();
    if (trailers) {
      last.trailingHeaders().set(STATUS, kind);
    }
    connection.send(last);
  }

  private void sendItem(Pieces item) throws InterruptedException {
    while (!item.isEmpty()) {
      connection.send(new DefaultHttpContent(item.next(connection.buffers())));
    }
    item.sent();
  }
}
