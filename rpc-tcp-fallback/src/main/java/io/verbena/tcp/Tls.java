package io.verbena.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandler;
import io.verbena.link.TlsOptions;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/** TLS by the provider of the user's context, and the meaning of its failures. */
final class Tls {
  /** A fatal alert, unexpected_message, in a record of TLS 1.2, which any TLS stack understands. */
  private static final byte[] EXPECTED_TLS = {21, 3, 3, 0, 2, 2, 10};

  /** The beginning of the JDK's message for an alert from the peer, in lower case. */
  private static final String ALERT = "received fatal alert";

  private Tls() {}

  /**
   * Makes a client's handler. The JDK compares the certificate with the server's name, and sends
   * the name (SNI) if it has a dot.
   */
  static SslHandler client(TlsOptions options, String server, int port, long handshakeMillis) {
    SSLEngine engine = options.context().createSSLEngine(server, port);
    engine.setUseClientMode(true);
    if (options.verifyHostName()) {
      SSLParameters parameters = engine.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      engine.setSSLParameters(parameters);
    }
    return handler(engine, handshakeMillis);
  }

  /**
   * Makes a server's handler.
   *
   * @param protocols the names that it chooses if a client asks for them (ALPN); none is required
   */
  static SslHandler server(TlsOptions options, List<String> protocols, long handshakeMillis) {
    SSLEngine engine = options.context().createSSLEngine();
    engine.setUseClientMode(false);
    engine.setNeedClientAuth(options.requireClientCertificate());
    if (!protocols.isEmpty()) {
      engine.setHandshakeApplicationProtocolSelector(
          (_, asked) -> asked.stream().filter(protocols::contains).findFirst().orElse(""));
    }
    return handler(engine, handshakeMillis);
  }

  private static SslHandler handler(SSLEngine engine, long handshakeMillis) {
    SslHandler handler = new SslHandler(engine);
    handler.setHandshakeTimeoutMillis(Math.max(1, handshakeMillis));
    return handler;
  }

  /**
   * Returns whether an engine may run code of others at any record. Up to TLS 1.2 a peer may begin
   * a further handshake, with the trust managers of the user; the JDK's own TLS 1.3 runs none after
   * the first one.
   */
  static boolean mayRunCodeOfOthers(SSLEngine engine) {
    return engine.getClass().getModule() != Object.class.getModule()
        || !engine.getSession().getProtocol().equals("TLSv1.3");
  }

  /** Returns the peer's certificates, its own first; empty if it showed none. */
  static List<X509Certificate> peerCertificates(@Nullable SslHandler handler) {
    if (handler == null) {
      return List.of();
    }
    try {
      return Arrays.stream(handler.engine().getSession().getPeerCertificates())
          .map(X509Certificate.class::cast)
          .toList();
    } catch (SSLPeerUnverifiedException e) {
      return List.of();
    }
  }

  /**
   * Returns the answer for a client that does not speak TLS, so that it can report that to its
   * user.
   */
  static ByteBuf expectedTls() {
    return Unpooled.wrappedBuffer(EXPECTED_TLS);
  }

  /** Returns whether bytes begin with a record of TLS. */
  static boolean begins(ByteBuf bytes) {
    int at = bytes.readerIndex();
    return bytes.readableBytes() >= 2 && isRecord(bytes.getByte(at), bytes.getByte(at + 1));
  }

  /** Returns whether these are a type of TLS records, and the major version of every TLS. */
  static boolean isRecord(int type, int major) {
    return type >= 20 && type <= 23 && major == 3;
  }

  static boolean isPlaintext(Throwable failure) {
    return failure instanceof NotSslRecordException
        || (failure instanceof DecoderException
            && failure.getCause() instanceof NotSslRecordException);
  }

  /** Returns whether TLS has failed on an open connection, not the network. */
  static boolean isTls(Throwable failure) {
    return failure instanceof SSLException
        || (failure instanceof DecoderException && failure.getCause() instanceof SSLException);
  }

  /** The names of alerts about certificates, in TLS 1.2 and 1.3 (RFC 8446, section 6.2). */
  private static final List<String> ABOUT_CERTIFICATES =
      List.of(
          "certificate_required",
          "bad_certificate",
          "unsupported_certificate",
          "certificate_revoked",
          "certificate_expired",
          "certificate_unknown",
          "unknown_ca",
          "access_denied");

  /**
   * Returns whether one end has refused the other's certificate, or requires one. A
   * handshake_failure may mean that, too, but also much else.
   */
  static boolean isUntrusted(Throwable failure) {
    boolean certificate = false;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      String text = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
      certificate |= cause instanceof CertificateException;
      certificate |= text.contains(ALERT) && ABOUT_CERTIFICATES.stream().anyMatch(text::contains);
    }
    return certificate;
  }

  /** Describes a failure, for a server with an expected name. */
  static String explain(Throwable failure, String server) {
    String text = deepest(failure);
    String lower = text.toLowerCase(Locale.ROOT);
    return lower.contains("subject alternative") || lower.contains("no name matching")
        ? "the server's certificate is not for '%s' (%s): connect by a name in the certificate, get a certificate for this name, or set the channel's authority to a name in the certificate"
            .formatted(server, text)
        : explain(failure);
  }

  /** Describes a failure, and what to do about it. */
  static String explain(Throwable failure) {
    Throwable cause =
        failure instanceof DecoderException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (isPlaintext(cause)) {
      return "expected TLS, but the peer sent plaintext: give both ends TLS options, or neither";
    }
    String text = deepest(cause);
    String lower = text.toLowerCase(Locale.ROOT);
    if (lower.contains(ALERT)) {
      return "the peer refused the TLS handshake (" + text + "): " + cureOfAlert(lower);
    }
    if (lower.contains("empty client certificate chain")) {
      return "the client showed no certificate, and this end requires one: give the client one that"
          + " this end trusts, by TlsFiles.identity(…)";
    }
    if (lower.contains("unable to find valid certification path")
        || lower.contains("path does not chain")) {
      return "the peer's certificate is not trusted ("
          + text
          + "): have this end trust its issuer, by"
          + " TlsFiles.trust(…) or TlsFiles.identity(…).trusting(…)";
    }
    if (cause instanceof ClosedChannelException
        || lower.contains("connection closed")
        || lower.contains("closed while")
        || lower.contains("connection reset")) {
      return "the peer closed the connection during the TLS handshake: it may not speak TLS, or may"
          + " have refused this end; its log says why";
    }
    return text;
  }

  private static String cureOfAlert(String alert) {
    if (alert.contains("certificate_required") || alert.contains("bad_certificate")) {
      return "it requires a client certificate that it trusts; give this end one by TlsFiles.identity(…)";
    }
    if (alert.contains("certificate_unknown") || alert.contains("unknown_ca")) {
      return "it does not trust this end's certificate; make the peer trust its issuer by TlsFiles.trust(…), or TlsFiles.identity(…).trusting(…) there, and call this end by a"
          + " name in the certificate; its log says which of both is wrong";
    }
    if (alert.contains("handshake_failure") || alert.contains("protocol_version")) {
      return "the ends share no TLS version or cipher suite, or a certificate is missing";
    }
    return "see the peer's log";
  }

  /** Returns the message of the innermost cause about certificates or I/O. */
  private static String deepest(Throwable failure) {
    Throwable deepest = failure;
    while (deepest.getCause() instanceof IOException
        || deepest.getCause() instanceof GeneralSecurityException) {
      deepest = deepest.getCause();
    }
    return deepest.getMessage() != null ? deepest.getMessage() : deepest.toString();
  }
}
