package io.verbena.cli;

import io.verbena.core.VerbenaClient;
import io.verbena.link.TlsFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of each command that opens a session: TLS and a token, from files. */
public final class Credentials {
  @Option(
      names = "--tls-ca",
      paramLabel = "FILE",
      description = "speak TLS, and trust these certificates (PEM)")
  private @Nullable Path authorities;

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description = "this end's certificate (PEM), where the server asks for one; with --tls-key")
  private @Nullable Path certificate;

  @Option(names = "--tls-key", paramLabel = "FILE", description = "its key (PEM, PKCS#8)")
  private @Nullable Path key;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "the credentials that the server is shown")
  private @Nullable Path token;

  /**
   * Has a client show them.
   *
   * @throws IllegalArgumentException if the options do not fit together, or a file is not what it
   *     should be
   */
  public void showBy(VerbenaClient.Builder client) {
    if (token != null) {
      String shown = read(token);
      client.token(() -> shown);
    }
    if ((certificate == null) != (key == null)) {
      throw new IllegalArgumentException("--tls-cert and --tls-key go together");
    }
    if (certificate != null && key != null) {
      TlsFiles files = TlsFiles.identity(certificate, key);
      client.tls((authorities == null ? files : files.trusting(authorities)).client());
    } else if (authorities != null) {
      client.tls(TlsFiles.trust(authorities).client());
    }
  }

  private static String read(Path token) {
    try {
      return Files.readString(token).strip();
    } catch (IOException e) {
      throw new IllegalArgumentException("--token-file cannot be read: " + e, e);
    }
  }
}
