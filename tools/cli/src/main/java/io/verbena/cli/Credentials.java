package io.verbena.cli;

import io.verbena.core.VerbenaClient;
import io.verbena.link.TlsFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The TLS and token options of every command that opens a session. */
public final class Credentials {
  @Option(
      names = "--tls-ca",
      paramLabel = "FILE",
      description = "use TLS, and trust these certificates (PEM)")
  private @Nullable Path authorities;

  @Option(
      names = "--tls-cert",
      paramLabel = "FILE",
      description = "the client's certificate (PEM), if the server requires one; needs --tls-key")
  private @Nullable Path certificate;

  @Option(
      names = "--tls-key",
      paramLabel = "FILE",
      description = "the key of --tls-cert (PEM, PKCS#8)")
  private @Nullable Path key;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "a file with the token that the client sends to the server")
  private @Nullable Path token;

  /**
   * Gives the credentials to a client that is being built.
   *
   * @throws IllegalArgumentException if the options contradict each other, or a file cannot be read
   */
  public void showBy(VerbenaClient.Builder client) {
    if (token != null) {
      String shown = read(token);
      client.token(() -> shown);
    }
    if ((certificate == null) != (key == null)) {
      throw new IllegalArgumentException("--tls-cert and --tls-key need each other");
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
