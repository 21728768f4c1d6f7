package io.verbena.grpc;

import io.grpc.CallCredentials;
import io.grpc.ChannelCredentials;
import io.grpc.ChoiceChannelCredentials;
import io.grpc.ChoiceServerCredentials;
import io.grpc.CompositeCallCredentials;
import io.grpc.CompositeChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.InsecureServerCredentials;
import io.grpc.ServerCredentials;
import io.grpc.TlsChannelCredentials;
import io.grpc.TlsServerCredentials;
import io.verbena.link.TlsFiles;
import io.verbena.link.TlsOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/** gRPC's credentials as settings for TLS. */
final class Credentials {
  private static final Set<TlsChannelCredentials.Feature> OF_CLIENT =
      EnumSet.of(TlsChannelCredentials.Feature.MTLS, TlsChannelCredentials.Feature.CUSTOM_MANAGERS);

  private static final Set<TlsServerCredentials.Feature> OF_SERVER =
      EnumSet.of(TlsServerCredentials.Feature.MTLS, TlsServerCredentials.Feature.CUSTOM_MANAGERS);

  private static final String KINDS =
      "use InsecureChannelCredentials, TlsChannelCredentials, or one of them with call credentials";

  private Credentials() {}

  /**
   * The credentials of a channel.
   *
   * @param tls null without TLS
   * @param calls the credentials of each call; null if there are none
   */
  record OfChannel(@Nullable TlsOptions tls, @Nullable CallCredentials calls) {}

  /**
   * Returns a channel's credentials.
   *
   * @throws IllegalArgumentException if they are of a kind that is not supported
   */
  static OfChannel channel(ChannelCredentials credentials) {
    return switch (credentials) {
      case InsecureChannelCredentials plain -> new OfChannel(null, null);
      case TlsChannelCredentials tls -> new OfChannel(client(tls), null);
      case CompositeChannelCredentials both -> {
        OfChannel inner = channel(both.getChannelCredentials());
        CallCredentials calls = both.getCallCredentials();
        yield new OfChannel(
            inner.tls,
            inner.calls == null ? calls : new CompositeCallCredentials(inner.calls, calls));
      }
      case ChoiceChannelCredentials choice ->
          first(choice.getCredentialsList(), Credentials::channel);
      default ->
          throw new IllegalArgumentException(credentials.getClass().getName() + ": " + KINDS);
    };
  }

  private static <C, R> R first(
      List<? extends C> choice, java.util.function.Function<C, R> reader) {
    IllegalArgumentException why = new IllegalArgumentException("no credentials to choose from");
    for (C one : choice) {
      try {
        return reader.apply(one);
      } catch (IllegalArgumentException e) {
        why = e;
      }
    }
    throw why;
  }

  private static TlsOptions client(TlsChannelCredentials tls) {
    Set<TlsChannelCredentials.Feature> missing = tls.incomprehensible(OF_CLIENT);
    if (!missing.isEmpty()) {
      throw new IllegalArgumentException("TlsChannelCredentials with " + missing + ": " + KINDS);
    }
    if (tls.getKeyManagers() != null || tls.getTrustManagers() != null) {
      return TlsOptions.client(context(tls.getKeyManagers(), tls.getTrustManagers()));
    }
    byte[] roots = tls.getRootCertificates();
    return inFiles(
        tls.getCertificateChain(),
        tls.getPrivateKey(),
        roots,
        (own, trusted) -> {
          if (own != null) {
            return own.client();
          }
          return trusted == null ? TlsOptions.client(context(null, null)) : trusted.client();
        });
  }

  /**
   * Returns a server's settings; null without TLS.
   *
   * @throws IllegalArgumentException if the credentials are of a kind that is not supported
   */
  static @Nullable TlsOptions server(ServerCredentials credentials) {
    return switch (credentials) {
      case InsecureServerCredentials plain -> null;
      case TlsServerCredentials tls -> server(tls);
      case ChoiceServerCredentials choice -> server(choice.getCredentialsList().getFirst());
      default ->
          throw new IllegalArgumentException(
              credentials.getClass().getName()
                  + ": use InsecureServerCredentials or TlsServerCredentials");
    };
  }

  private static TlsOptions server(TlsServerCredentials tls) {
    Set<TlsServerCredentials.Feature> missing = tls.incomprehensible(OF_SERVER);
    if (!missing.isEmpty()) {
      throw new IllegalArgumentException("TlsServerCredentials with " + missing + " is not known");
    }
    boolean requires = tls.getClientAuth() == TlsServerCredentials.ClientAuth.REQUIRE;
    if (tls.getClientAuth() == TlsServerCredentials.ClientAuth.OPTIONAL) {
      throw new IllegalArgumentException(
          "clientAuth(OPTIONAL) is not supported: use REQUIRE, or NONE with call credentials");
    }
    if (tls.getKeyManagers() != null) {
      SSLContext context = context(tls.getKeyManagers(), tls.getTrustManagers());
      return requires ? TlsOptions.mutual(context) : TlsOptions.server(context);
    }
    return inFiles(
        tls.getCertificateChain(),
        tls.getPrivateKey(),
        tls.getRootCertificates(),
        (own, trusted) -> {
          if (own == null) {
            throw new IllegalArgumentException("a server needs a certificate and a key");
          }
          return requires ? own.mutual() : own.server();
        });
  }

  private static SSLContext context(
      @Nullable List<KeyManager> keys, @Nullable List<TrustManager> trust) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(
          keys == null ? null : keys.toArray(KeyManager[]::new),
          trust == null ? null : trust.toArray(TrustManager[]::new),
          new SecureRandom());
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException("these key or trust managers cannot be used", e);
    }
  }

  /**
   * Reads PEM blocks. Verbena reads them from files, so they are in files for a moment that only
   * this user can read.
   */
  private static TlsOptions inFiles(
      byte @Nullable [] chain,
      byte @Nullable [] key,
      byte @Nullable [] roots,
      BiFunction<@Nullable TlsFiles, @Nullable TlsFiles, TlsOptions> made) {
    try {
      Path folder = Files.createTempDirectory("verbena-grpc");
      try {
        Path trusted = roots == null ? null : Files.write(folder.resolve("roots.pem"), roots);
        TlsFiles own = null;
        if (chain != null && key != null) {
          own =
              TlsFiles.identity(
                  Files.write(folder.resolve("chain.pem"), chain),
                  Files.write(folder.resolve("key.pem"), key));
          own = trusted == null ? own : own.trusting(trusted);
        }
        TlsOptions options = made.apply(own, trusted == null ? null : TlsFiles.trust(trusted));
        SSLContext context = options.context(); // the files are about to go
        if (options.requireClientCertificate()) {
          return TlsOptions.mutual(context);
        }
        return options.verifyHostName() ? TlsOptions.client(context) : TlsOptions.server(context);
      } finally {
        for (String name : List.of("roots.pem", "chain.pem", "key.pem")) {
          Files.deleteIfExists(folder.resolve(name));
        }
        Files.deleteIfExists(folder);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
