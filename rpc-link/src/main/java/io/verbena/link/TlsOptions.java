package io.verbena.link;

import io.verbena.api.settings.Checks;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Options for TLS by the JDK's provider. Immutable; start from {@link #client}, {@link #server},
 * {@link #mutual} or {@link #of}.
 */
public final class TlsOptions {

  private final Values values;

  private record Values(
      Supplier<SSLContext> contexts, boolean requireClientCertificate, boolean verifyHostName) {
    private Values {
      Checks.required("context", Checks.required("contexts", contexts).get());
    }
  }

  private TlsOptions(Values values) {
    this.values = values;
  }

  /** Returns what supplies the context for each new connection. */
  public Supplier<SSLContext> contexts() {
    return values.contexts;
  }

  /**
   * Returns whether a listener requires a certificate of its clients (mutual TLS); a client ignores
   * it.
   */
  public boolean requireClientCertificate() {
    return values.requireClientCertificate;
  }

  /**
   * Returns whether a client requires that the server's certificate names the host; a listener
   * ignores it.
   */
  public boolean verifyHostName() {
    return values.verifyHostName;
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
    return of(always(context));
  }

  /** Returns options for a server that presents its certificate and requires none of clients. */
  public static TlsOptions server(SSLContext context) {
    return of(always(context)).withVerifyHostName(false);
  }

  /** Returns options for a server that requires a certificate of every client. */
  public static TlsOptions mutual(SSLContext context) {
    return server(context).withRequireClientCertificate(true);
  }

  /**
   * Returns options for either end, with contexts that may change. They require no certificate of
   * clients, and verify host names.
   *
   * @param contexts supplies the context for each new connection, with this end's certificate and
   *     the trusted certificates. It is called on an event loop, and once here, so that a fault
   *     shows at once
   */
  public static TlsOptions of(Supplier<SSLContext> contexts) {
    return new TlsOptions(new Values(contexts, false, true));
  }

  private static Supplier<SSLContext> always(SSLContext context) {
    return new Always(Checks.required("context", context));
  }

  /** Returns these options, with or without a certificate that a listener requires of clients. */
  public TlsOptions withRequireClientCertificate(boolean value) {
    return new TlsOptions(new Values(values.contexts, value, values.verifyHostName));
  }

  /** Returns these options, with or without a check of the host name by a client. */
  public TlsOptions withVerifyHostName(boolean value) {
    return new TlsOptions(new Values(values.contexts, values.requireClientCertificate, value));
  }

  /** Returns the context for a new connection. */
  public SSLContext context() {
    return values.contexts.get();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof TlsOptions it && values.equals(it.values);
  }

  @Override
  public int hashCode() {
    return values.hashCode();
  }

  /** Returns the name and value of each option. */
  @Override
  public String toString() {
    return values.toString().replaceFirst("Values", "TlsOptions");
  }
}
