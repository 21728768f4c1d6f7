package io.verbena.core;

import io.verbena.api.RpcException;
import io.verbena.api.Session;
import io.verbena.api.stub.ServiceDescriptor;
import io.verbena.core.call.CallCounters;
import io.verbena.core.intercept.Interceptors;
import io.verbena.core.session.Acceptors;
import io.verbena.core.session.Connector;
import io.verbena.core.session.SessionAcceptor;
import io.verbena.core.session.SessionContext;
import io.verbena.core.session.UpgradeOptions;
import io.verbena.core.user.UserSession;
import io.verbena.link.LinkCapabilities;
import io.verbena.link.LinkOptions;
import java.net.URI;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens sessions with a server inside its process, for a {@link Gateway} whose clients use another
 * protocol. The server treats them as sessions over a link: it authenticates, counts, observes and
 * drains them. Safe for use by any thread.
 */
public final class LocalSessions {
  private static final Interceptors NONE = new Interceptors(List.of(), List.of());
  private static final UpgradeOptions STAYS =
      new UpgradeOptions(PathPolicy.TCP_ONLY, false, List.of());

  private final Acceptors acceptors;
  private final List<ServiceDescriptor<?>> services;
  private final URI address;

  /**
   * Makes the local sessions of a server.
   *
   * @param address the address to listen at
   */
  LocalSessions(Acceptors acceptors, List<ServiceDescriptor<?>> services, URI address) {
    this.acceptors = acceptors;
    this.services = List.copyOf(services);
    this.address = address;
  }

  /** Returns the services that the server offers to every client. */
  public List<ServiceDescriptor<?>> services() {
    return services;
  }

  /** Returns the address at which the server will listen. Port 0 stands for a free port. */
  public URI address() {
    return address;
  }

  /** Returns the largest number of sessions at once, of all protocols. */
  public int maxSessions() {
    return acceptors.maxSessions;
  }

  /** Returns the time limit of calls for which neither the method nor the caller has one. */
  public Duration defaultTimeout() {
    return acceptors.idlest().context.limits().defaultTimeout();
  }

  /** Returns whether the server has an authenticator. Without one, every client may call. */
  public boolean authenticates() {
    return acceptors.authenticates();
  }

  /**
   * Returns whether clients may read contracts. See {@link VerbenaServer.Builder#tellContracts}.
   */
  public boolean tellsContracts() {
    return acceptors.tellsContracts;
  }

  /**
   * Opens a session for a client. Close it when the client's connection has ended; that cancels the
   * client's calls.
   *
   * @param token the client's token; empty for none
   * @param certificates the certificates of its TLS handshake, its own first; empty for none
   * @param address the client's address in the form of links, such as {@code
   *     "tcp://10.0.0.7:40112"}
   * @param encrypted whether the connection is encrypted
   * @param maxMessageBytes the longest message each way; the server's own limit counts if it is
   *     lower
   * @return the session. It fails with an {@link RpcException}: UNAUTHENTICATED if the server
   *     refuses the client, UNAVAILABLE if the server drains or has no room for another session
   */
  public CompletionStage<Session> open(
      String token,
      List<X509Certificate> certificates,
      String address,
      boolean encrypted,
      int maxMessageBytes) {
    SessionAcceptor acceptor = acceptors.idlest();
    SessionContext own = acceptor.context;
    int longest = Math.min(maxMessageBytes, own.limits().maxMessageBytes());
    int frame = own.link().maxFrameBytes();
    SessionContext context =
        new SessionContext(
            own.loop(),
            own.limits().withMaxMessageBytes(longest),
            null, // messages within the process are not compressed
            own.slots(),
            own.fragmentSlots(),
            own.quotas(),
            own.handlers(),
            own.workers(),
            LinkOptions.of(frame, own.link().connectTimeout(), null),
            STAYS,
            own.bulk(),
            own.elsewhere(),
            List.of());
    LinkCapabilities capabilities =
        new LinkCapabilities(this.address.getScheme(), "gateway", frame, encrypted);
    LocalLink.Remote client = new LocalLink.Remote(address, certificates);
    @Nullable Supplier<String> shown = token.isEmpty() ? null : () -> token;
    Connector connector =
        new Connector(
            context,
            (with, role) -> new UserSession(with, role, new CallCounters(), NONE, null),
            (server, options, handler) ->
                LocalLink.open(
                    own.loop(),
                    capabilities,
                    server.toString(),
                    client,
                    handler,
                    link -> acceptors.greetHere(link, acceptor)),
            URI.create("gateway:" + this.address.getScheme()),
            shown,
            false,
            true,
            session -> {});
    CompletableFuture<Session> opened = new CompletableFuture<>();
    connector.open(
        failure -> {
          if (failure == null) {
            opened.complete(connector.session);
          } else {
            connector.session.close();
            opened.completeExceptionally(
                VerbenaClient.notOpened(failure.status(), failure.reason()));
          }
        });
    return opened;
  }
}
