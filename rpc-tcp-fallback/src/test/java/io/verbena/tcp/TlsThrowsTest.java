package io.verbena.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.link.LinkException;
import io.verbena.link.LinkOptions;
import io.verbena.link.TlsOptions;
import io.verbena.testkit.SteppedLinks;
import io.verbena.testkit.TestIdentity;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A failure in a step of a TLS handshake fails its connection alone, at once and with a message.
 */
final class TlsThrowsTest {
  private static final String NO_THREAD = "unable to create native thread";

  private final AtomicBoolean throwing = new AtomicBoolean();

  /** The step that throws it. */
  enum Step {
    CLIENTS_CONTEXT,
    CLIENTS_TASK,
    SERVERS_CONTEXT,
    SERVERS_TASK
  }

  @ParameterizedTest
  @EnumSource
  void failsTheConnectionAtOnceAndTheNextOneIsMade(Step step) throws LinkException {
    SSLContext trusting = TestIdentity.nobodyTrusting(Identities.SERVER);
    SSLContext shown = Identities.SERVER.trusting();
    TlsOptions client = options(trusting, step == Step.CLIENTS_CONTEXT, step == Step.CLIENTS_TASK);
    TlsOptions server = options(shown, step == Step.SERVERS_CONTEXT, step == Step.SERVERS_TASK);
    try (SteppedLinks links = start(client, server)) {
      throwing.set(true);
      boolean clients = step == Step.CLIENTS_CONTEXT || step == Step.CLIENTS_TASK;
      assertThat(links.connect(links.listening().address()).failure())
          .hasMessageContaining(clients ? NO_THREAD : "the peer closed the connection during");
      throwing.set(false);
      links.open();
    }
  }

  /** Links whose attempts take longer than a test waits, unless they are failed. */
  private static SteppedLinks start(TlsOptions client, TlsOptions server) throws LinkException {
    Duration patience = Duration.ofMinutes(5);
    return new SteppedLinks(
        new TcpHarness(Transport.best(), null, null, 0),
        LinkOptions.of(1000, patience, client),
        LinkOptions.of(1000, patience, server));
  }

  /**
   * Options with a context that cannot be had, or whose handshake's delegated tasks throw, as long
   * as it is wanted.
   */
  private TlsOptions options(SSLContext well, boolean unavailable, boolean failingTasks) {
    SSLContext failing = failingTasks ? failing() : well;
    Supplier<SSLContext> contexts =
        () -> {
          if (unavailable && throwing.get()) {
            throw new OutOfMemoryError(NO_THREAD);
          }
          return throwing.get() ? failing : well;
        };
    return TlsOptions.of(contexts).withVerifyHostName(false);
  }

  private static SSLContext failing() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(new KeyManager[] {new NoKeys()}, new TrustManager[] {new NoTrust()}, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static OutOfMemoryError thrown() {
    return new OutOfMemoryError(NO_THREAD);
  }

  private static final class NoKeys extends X509ExtendedKeyManager {
    @Override
    public String chooseEngineServerAlias(String type, Principal[] issuers, SSLEngine engine) {
      throw thrown();
    }

    @Override
    public String @Nullable [] getClientAliases(String type, Principal[] issuers) {
      return null;
    }

    @Override
    public @Nullable String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
      return null;
    }

    @Override
    public String @Nullable [] getServerAliases(String type, Principal[] issuers) {
      return null;
    }

    @Override
    public @Nullable String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
      return null;
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
      return null;
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
      return null;
    }
  }

  private static final class NoTrust extends X509ExtendedTrustManager {
    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {
      throw thrown();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {
      throw thrown();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
      throw thrown();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
      throw thrown();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {
      throw thrown();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {
      throw thrown();
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
