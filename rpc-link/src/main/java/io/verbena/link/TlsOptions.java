package io.verbena.link;

import io.verbena.api.settings.Checks;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;

/**
 * Options for TLS by the JDK's provider. Immutable.
 *
 * @param contexts supplies the context for each new connection, with this end's certificate and the
 *     trusted certificates. It is called on an event loop, and once when the options are made, so
 *     that a fault shows there
 * @param requireClientCertificate for a listener, whether a client must present a certificate
 *     (mutual TLS); a client ignores it
 * @param verifyHostName for a client, whether the server's certificate must name the host; a
 *     listener ignores it
 */
public record TlsOptions(
    Supplier<SSLContext> contexts, boolean requireClientCertificate, boolean verifyHostName) {
  /** Checks that there is a context. */
  public TlsOptions {
    Checks.required("context", Checks.required("contexts", contexts).get());
  }

  /** Makes options with one context for all connections. */
  public TlsOptions(SSLContext context, boolean requireClientCertificate, boolean verifyHostName) {
    this(new Always(Checks.required("context", context)), requireClientCertificate, verifyHostName);
  }

  /** Supplies one context, and makes options with the same context equal. */
  private record Always(SSLContext context) implements Supplier<SSLContext> {
    @Override
    public SSLContext get() {
      return context;
    }
  }

  /**
   * Returns options for a client. The server must prove the host name to which the client connects.
   */
  public static TlsOptions client(SSLContext context) {
    return new TlsOptions(context, false, true);
  }

  /** Returns options for a server that presents its certificate and requires none of clients. */
  public static TlsOptions server(SSLContext context) {
    return new TlsOptions(context, false, false);
  }

  /** Returns options for a server that requires a certificate of every client. */
  public static TlsOptions mutual(SSLContext context) {
    return new TlsOptions(context, true, false);
  }

  /** Returns the context for a new connection. */
  public SSLContext context() {
    return contexts.get();
  }
}
