package io.verbena.link;

import io.verbena.api.settings.Checks;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;

/**
 * TLS by the JDK's provider.
 *
 * @param contexts asked for each new connection, on an event loop: holds this end's certificate and
 *     whom it trusts. Asked once when the options are made, so that what cannot work fails there
 * @param requireClientCertificate for a listener: whether a client must show a certificate (mutual
 *     TLS); a client ignores it
 * @param verifyHostName for a client: whether the server's certificate must name the host that was
 *     connected to; a listener ignores it
 */
public record TlsOptions(
    Supplier<SSLContext> contexts, boolean requireClientCertificate, boolean verifyHostName) {
  /** Checks that there is a context. */
  public TlsOptions {
    Checks.required("context", Checks.required("contexts", contexts).get());
  }

  /** With one context for good. */
  public TlsOptions(SSLContext context, boolean requireClientCertificate, boolean verifyHostName) {
    this(new Always(Checks.required("context", context)), requireClientCertificate, verifyHostName);
  }

  /** So that options of one context are equal. */
  private record Always(SSLContext context) implements Supplier<SSLContext> {
    @Override
    public SSLContext get() {
      return context;
    }
  }

  /** For a client: the server must prove the name it was connected to by. */
  public static TlsOptions client(SSLContext context) {
    return new TlsOptions(context, false, true);
  }

  /** For a server that shows its certificate and asks for none. */
  public static TlsOptions server(SSLContext context) {
    return new TlsOptions(context, false, false);
  }

  /** For a server that asks every client for a certificate. */
  public static TlsOptions mutual(SSLContext context) {
    return new TlsOptions(context, true, false);
  }

  /** Returns the context for a connection that opens now. */
  public SSLContext context() {
    return contexts.get();
  }
}
