package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.core.VerbenaServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What RFC 9112 allows and clients rarely send, beside nginx and Jetty. A file has what each of the
 * three answers; {@code -Dverbena.golden=write} rewrites it. Where this server answers as neither
 * of the others, the page on HTTP says why.
 */
@Tag("long")
@Timeout(300)
class OddRequestsTest {
  private static final Path GOLDEN = Path.of("src/test/resources/odd-requests.txt");
  private static final Path PAGE = Path.of("../../docs/how-to/http.md");
  private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] (\\d{3}) ");

  /** It follows, and is answered if the connection goes on. */
  private static final String NEXT =
      "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

  private static final String LINE = "POST /store.v1/count HTTP/1.1\r\n";
  private static final String HOST = "Host: localhost\r\n";
  private static final String LENGTH = "Content-Length: 5\r\n";
  private static final String CHUNKED = "Transfer-Encoding: chunked\r\n";
  private static final String BODY = "[1,2]";
  private static final String CHUNKS = "5\r\n[1,2]\r\n0\r\n\r\n";

  private static final Map<String, String> REQUESTS = new LinkedHashMap<>();

  private static void row(String name, String request) {
    if (REQUESTS.put(name, request) != null) {
      throw new IllegalArgumentException("twice: " + name);
    }
  }

  private static String post(String headers) {
    return LINE + HOST + LENGTH + headers + "\r\n" + BODY;
  }

  private static String chunked(String chunks) {
    return LINE + HOST + CHUNKED + "\r\n" + chunks;
  }

  private static String get(String target) {
    return "GET " + target + " HTTP/1.1\r\n" + HOST + "\r\n";
  }

  static {
    row("plain", post(""));
    row("an empty line first", "\r\n" + post(""));
    row("three empty lines first", "\r\n\r\n\r\n" + post(""));
    row("a bare LF first", "\n" + post(""));
    row("an empty line between requests", post("") + "\r\n" + post(""));
    row("a body and CRLF more", post("") + "\r\n");
    row("bare LF at the ends of lines", post("").replace("\r\n", "\n"));
    row("bare LF after the request line", post("").replaceFirst("\r\n", "\n"));
    row("bare CR in a header", post("A: b\rc\r\n"));
    row("two spaces in the request line", post("").replace("POST /", "POST  /"));
    row("a tab in the request line", post("").replace("POST /", "POST\t/"));
    row("a space after the version", post("").replace("1.1\r\n", "1.1 \r\n"));
    row("no version", "GET /\r\n\r\n");
    row("version 1.0", post("").replace("HTTP/1.1", "HTTP/1.0"));
    row(
        "version 1.0 that keeps alive",
        post("Connection: keep-alive\r\n").replace("HTTP/1.1", "HTTP/1.0"));
    row("version 1.2", post("").replace("HTTP/1.1", "HTTP/1.2"));
    row("version 2.0", post("").replace("HTTP/1.1", "HTTP/2.0"));
    row("version 3.7", post("").replace("HTTP/1.1", "HTTP/3.7"));
    row("version in lower case", post("").replace("HTTP/1.1", "http/1.1"));
    row("method in lower case", post("").replace("POST", "post"));
    row("an unknown method", "BREW /store.v1/count HTTP/1.1\r\n" + HOST + "\r\n");
    row("a method with a hyphen", "M-SEARCH / HTTP/1.1\r\n" + HOST + "\r\n");
    row("a method with a forbidden character", "GE(T / HTTP/1.1\r\n" + HOST + "\r\n");
    row("HEAD", "HEAD / HTTP/1.1\r\n" + HOST + "\r\n");
    row("OPTIONS *", "OPTIONS * HTTP/1.1\r\n" + HOST + "\r\n");
    row("OPTIONS of a path", "OPTIONS / HTTP/1.1\r\n" + HOST + "\r\n");
    row("GET *", "GET * HTTP/1.1\r\n" + HOST + "\r\n");
    row("TRACE", "TRACE / HTTP/1.1\r\n" + HOST + "\r\n");
    row("CONNECT", "CONNECT localhost:80 HTTP/1.1\r\n" + HOST + "\r\n");
    row("an absolute target", post("").replace(" /store", " http://localhost/store"));
    row(
        "an absolute target of another host",
        post("").replace(" /store", " http://127.0.0.1:1/store"));
    row(
        "an absolute target with a scheme in capitals",
        post("").replace(" /store", " HTTP://localhost/store"));
    row("an absolute target without a path", get("http://localhost"));
    row("an absolute target of ftp", get("ftp://localhost/"));
    row("a target without a slash", get("store"));
    row("a query", get("/?a=b"));
    row("a fragment", get("/#a"));
    row("two slashes", get("//"));
    row("a percent-encoded path", post("").replace("/count", "/%63ount"));
    row("a wrong percent sign", get("/%zz"));
    row("a percent-encoded NUL", get("/%00"));
    row("a target that is not ASCII", get("/\u00fc"));
    row("dot segments", get("/a/../"));
    row("dot segments above the root", get("/../"));
    row("no Host", LINE + LENGTH + "\r\n" + BODY);
    row("no Host in version 1.0", (LINE + LENGTH + "\r\n" + BODY).replace("1.1", "1.0"));
    row("an empty Host", post("").replace("localhost", ""));
    row("two Hosts", post(HOST));
    row("a Host with a port", post("").replace("localhost", "localhost:7400"));
    row("a Host with a wrong port", post("").replace("localhost", "localhost:x"));
    row("a Host with user and password", post("").replace("localhost", "a@localhost"));
    row("a Host of IPv6", post("").replace("localhost", "[::1]:80"));
    row("a Host with a dot at its end", post("").replace("localhost", "localhost."));
    row("two lists in Host", post("").replace("localhost", "localhost, localhost"));
    row("header names in capitals", post("").replace("Content-Length", "CONTENT-LENGTH"));
    row("no space after a colon", post("A:b\r\n"));
    row("tabs around a value", post("A:\tb\t\r\n"));
    row("an empty value", post("A:\r\n"));
    row("a space before a colon", post("A : b\r\n"));
    row("a header without a colon", post("A\r\n"));
    row("a header without a name", post(": b\r\n"));
    row("a folded header", post("A: b\r\n c\r\n"));
    row("a folded first header", LINE + " A: b\r\n" + HOST + LENGTH + "\r\n" + BODY);
    row("a header name with a forbidden character", post("A(: b\r\n"));
    row("a header name with an underscore", post("A_B: c\r\n"));
    row("a NUL in a value", post("A: b\0c\r\n"));
    row("a value beyond ASCII", post("A: \u00fc\r\n"));
    row("sixty headers", post("A: b\r\n".repeat(60)));
    row("a header of 20 kB", post("A: " + "b".repeat(20_000) + "\r\n"));
    row("headers of 50 kB", post(("A: " + "b".repeat(5_000) + "\r\n").repeat(10)));
    row("a target of 7 kB", get("/?" + "a".repeat(7_000)));
    row("a target of 20 kB", get("/?" + "a".repeat(20_000)));
    row("a length twice, the same", post(LENGTH));
    row("a length twice, another", post("Content-Length: 6\r\n"));
    row("a list of equal lengths", post("").replace(": 5", ": 5, 5"));
    row("a length with a plus", post("").replace(": 5", ": +5"));
    row("a length with zeros", post("").replace(": 5", ": 005"));
    row("a negative length", post("").replace(": 5", ": -5"));
    row("a length in hexadecimal", post("").replace(": 5", ": 0x5"));
    row("a length of 30 digits", post("").replace(": 5", ": " + "9".repeat(30)));
    row("an empty length", post("").replace(": 5", ":"));
    row("GET with a body", "GET / HTTP/1.1\r\n" + HOST + LENGTH + "\r\n" + BODY);
    row(
        "POST without a length",
        "POST /store.v1/broken HTTP/1.1\r\n" + HOST + "Connection: close\r\n\r\n");
    row("chunks", chunked(CHUNKS));
    row("several chunks", chunked("1\r\n[\r\n4\r\n1,2]\r\n0\r\n\r\n"));
    row("a chunk extension", chunked("5;a=b\r\n[1,2]\r\n0\r\n\r\n"));
    row("a quoted chunk extension", chunked("5;a=\"b;c\"\r\n[1,2]\r\n0\r\n\r\n"));
    row("a space before a chunk extension", chunked("5 ;a\r\n[1,2]\r\n0\r\n\r\n"));
    row("an extension of the last chunk", chunked("5\r\n[1,2]\r\n0;a\r\n\r\n"));
    row("a chunk size with zeros", chunked("0005\r\n[1,2]\r\n000\r\n\r\n"));
    row("a chunk size in capitals", chunked("A\r\n     [1,2]\r\n0\r\n\r\n"));
    row("a chunk size with a sign", chunked("+5\r\n[1,2]\r\n0\r\n\r\n"));
    row("a chunk size with 0x", chunked("0x5\r\n[1,2]\r\n0\r\n\r\n"));
    row("a chunk size of 20 digits", chunked("F".repeat(20) + "\r\n[1,2]\r\n0\r\n\r\n"));
    row("a chunk without a size", chunked("\r\n[1,2]\r\n0\r\n\r\n"));
    row("a chunk with bare LF", chunked("5\n[1,2]\n0\n\n"));
    row("a chunk longer than its size", chunked("4\r\n[1,2]\r\n0\r\n\r\n"));
    row("trailers", chunked("5\r\n[1,2]\r\n0\r\nA: b\r\n\r\n"));
    row("a length in the trailers", chunked("5\r\n[1,2]\r\n0\r\nContent-Length: 5\r\n\r\n"));
    row("a malformed trailer", chunked("5\r\n[1,2]\r\n0\r\nA\r\n\r\n"));
    row("chunked in capitals", chunked(CHUNKS).replace("chunked", "CHUNKED"));
    row("chunked twice", chunked(CHUNKS).replace("chunked", "chunked, chunked"));
    row("gzip, chunked", chunked(CHUNKS).replace("chunked", "gzip, chunked"));
    row("identity", post("Transfer-Encoding: identity\r\n"));
    row("chunked and identity", chunked(CHUNKS).replace("chunked", "chunked, identity"));
    row("chunked and a length", LINE + HOST + LENGTH + CHUNKED + "\r\n" + CHUNKS);
    row("chunked in version 1.0", chunked(CHUNKS).replace("1.1", "1.0"));
    row("Expect: 100-continue with the body", post("Expect: 100-continue\r\n"));
    row("Expect: 100-Continue", post("Expect: 100-Continue\r\n"));
    row("Expect of something else", post("Expect: 200-ok\r\n"));
    row(
        "Expect: 100-continue without a body",
        "GET / HTTP/1.1\r\n" + HOST + "Expect: 100-continue\r\n\r\n");
    row("Connection: close", post("Connection: close\r\n"));
    row("Connection: CLOSE among others", post("Connection: a, CLOSE\r\n"));
    row("Connection: keep-alive", post("Connection: keep-alive\r\n"));
    row(
        "Upgrade to h2c",
        post(
            "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"));
    row("Upgrade to something", post("Connection: Upgrade\r\nUpgrade: foo/2\r\n"));
    row("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    row("TE: trailers", post("TE: trailers\r\nConnection: TE\r\n"));
    row("no request", "hello\r\n\r\n");
    row("a byte that is none of HTTP", "\u00ff\u00fe\r\n\r\n");
  }

  @Test
  void areAnsweredAsTheFileSays() throws Exception {
    Nginx.assumeInstalled();
    List<String> lines = new ArrayList<>();
    List<String> alone = new ArrayList<>();
    try (VerbenaServer server =
            VerbenaServer.builder()
                .listen("127.0.0.1:0")
                .drainTime(Duration.ofMillis(100))
                .gateway(new HttpGateway())
                .serve(StoreRpc.bind(new MemoryStore()))
                .start();
        Nginx nginx = Nginx.start("location / { return 200 ok; }")) {
      Server jetty = jetty();
      int jettys = ((ServerConnector) jetty.getConnectors()[0]).getLocalPort();
      try {
        for (Map.Entry<String, String> row : REQUESTS.entrySet()) {
          String ours = answers(server.address().getPort(), row.getValue());
          String nginxs = answers(nginx.port(), row.getValue());
          String its = answers(jettys, row.getValue());
          lines.add("%s | %s | %s | %s".formatted(row.getKey(), ours, nginxs, its));
          if (!ours.equals(nginxs) && !ours.equals(its)) {
            alone.add(row.getKey());
          }
        }
      } finally {
        jetty.stop();
      }
    }
    String found =
        "request | this server | nginx | Jetty\n"
            + lines.stream().map(line -> line + "\n").collect(Collectors.joining());
    if ("write".equals(System.getProperty("verbena.golden"))) {
      Files.writeString(GOLDEN, found);
    }
    assertThat(REQUESTS).hasSizeGreaterThan(60);
    assertThat(found).isEqualTo(Files.readString(GOLDEN));
    String page = Files.readString(PAGE);
    assertThat(alone).allSatisfy(name -> assertThat(page).contains("| " + name + " |"));
  }

  /** Returns the statuses that come back; "-" if the connection ends without one. */
  private static String answers(int port, String request) throws IOException {
    ByteArrayOutputStream got = new ByteArrayOutputStream();
    String cut = "";
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(4_000);
      socket.getOutputStream().write((request + NEXT).getBytes(StandardCharsets.ISO_8859_1));
      InputStream in = socket.getInputStream();
      byte[] some = new byte[8192];
      for (int count; (count = in.read(some)) > 0; ) {
        got.write(some, 0, count);
      }
    } catch (SocketTimeoutException e) {
      cut = " waits";
    } catch (IOException reset) {
      cut = ""; // it closed while bytes were under way
    }
    Matcher statuses = STATUS.matcher(got.toString(StandardCharsets.ISO_8859_1));
    List<String> all = new ArrayList<>();
    while (statuses.find() && (all.isEmpty() || all.getLast().compareTo("400") < 0)) {
      all.add(statuses.group(1)); // whether a connection goes on after a refusal may depend on time
    }
    return (all.isEmpty() ? "-" : String.join(" ", all)) + cut;
  }

  private static Server jetty() throws Exception {
    Server jetty = new Server(0);
    jetty.setHandler(
        new Handler.Abstract() {
          @Override
          public boolean handle(Request request, Response response, Callback callback)
              throws Exception {
            Content.Source.consumeAll(request);
            Content.Sink.write(response, true, "ok", callback);
            return true;
          }
        });
    jetty.start();
    return jetty;
  }
}
