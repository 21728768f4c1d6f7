package io.verbena.core.link;

import io.verbena.api.settings.Checks;
import javax.net.ssl.SSLContext;

/**
 * TLS by the JDK's provider.
 *
 * @param context holds this end's certificate and whom it trusts
 * @param requireClientCertificate for a listener: whether a client must show a certificate (mutual
 *     TLS); a client ignores it
 * @param verifyHostName for a client: whether the server's certificate must name the host that was
 *     connected to; a listener ignores it
 */
public record TlsOptions(
    SSLContext context, boolean requireClientCertificate, boolean verifyHostName) {
  /** Checks that there is a context. */
  public TlsOptions {
    Checks.required("context", context);
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
}
