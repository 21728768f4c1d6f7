package io.verbena.spring.autoconfigure;

import io.verbena.link.TlsFiles;
import io.verbena.link.TlsOptions;
import io.verbena.spring.VerbenaProperties.ClientTls;
import io.verbena.spring.VerbenaProperties.ServerTls;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Makes TLS options from properties; null if no file is set. */
final class SpringTls {
  private SpringTls() {}

  static @Nullable TlsOptions server(ServerTls set) {
    TlsFiles files = files("server", set.certificate(), set.privateKey(), set.trust());
    if (files == null) {
      return null;
    }
    return usable("server", () -> set.trust() == null ? files.server() : files.mutual());
  }

  static @Nullable TlsOptions client(ClientTls set) {
    TlsFiles files = files("client", set.certificate(), set.privateKey(), set.trust());
    return files == null ? null : usable("client", files::client);
  }

  private static TlsOptions usable(String end, java.util.function.Supplier<TlsOptions> options) {
    try {
      return options.get();
    } catch (IllegalArgumentException e) {
      throw new VerbenaStartException(
          "TLS of Verbena's %s cannot be set up: %s".formatted(end, e.getMessage()),
          "Correct verbena.%s.tls.*, or the files that it names.".formatted(end),
          e);
    }
  }

  private static @Nullable TlsFiles files(
      String end, @Nullable Path certificate, @Nullable Path key, @Nullable Path trust) {
    if ((certificate == null) != (key == null)) {
      throw new VerbenaStartException(
          "verbena.%1$s.tls has only one of certificate and private-key".formatted(end),
          "Set both, or none.");
    }
    if (certificate != null && key != null) {
      TlsFiles own = TlsFiles.identity(certificate, key);
      return trust == null ? own : own.trusting(trust);
    }
    return trust == null ? null : TlsFiles.trust(trust);
  }
}
