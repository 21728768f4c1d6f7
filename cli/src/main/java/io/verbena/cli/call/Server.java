package io.verbena.cli.call;

import io.verbena.cli.Address;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaClient;
import io.verbena.core.link.TlsFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** Which server is meant, and how it is reached: words of the command. */
final class Server {
  @Parameters(
      index = "0",
      paramLabel = "HOST:PORT",
      converter = Address.class,
      description = "where a Verbena server listens")
  private String address = "";

  @Option(
      names = "--path",
      paramLabel = "PATH",
      defaultValue = "auto",
      converter = PathOption.class,
      description = "which path the call takes: auto, tcp or rdma (default: ${DEFAULT-VALUE})")
  private PathPolicy path = PathPolicy.PREFER_RDMA;

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

  String address() {
    return address;
  }

  /**
   * Returns a client that reaches it.
   *
   * @param limit how long it may take to connect
   * @throws IllegalArgumentException if the words do not fit together, or a file is not what it
   *     should be
   */
  VerbenaClient client(Duration limit) {
    VerbenaClient.Builder builder = VerbenaClient.builder().path(path).connectTimeout(limit);
    if (token != null) {
      String shown = read(token);
      builder.token(() -> shown);
    }
    if ((certificate == null) != (key == null)) {
      throw new IllegalArgumentException("--tls-cert and --tls-key go together");
    }
    if (certificate != null && key != null) {
      TlsFiles files = TlsFiles.identity(certificate, key);
      builder.tls((authorities == null ? files : files.trusting(authorities)).client());
    } else if (authorities != null) {
      builder.tls(TlsFiles.trust(authorities).client());
    }
    return builder.build();
  }

  private static String read(Path token) {
    try {
      return Files.readString(token).strip();
    } catch (IOException e) {
      throw new IllegalArgumentException("--token-file cannot be read: " + e, e);
    }
  }

  /** Takes {@code auto}, {@code tcp} and {@code rdma}. */
  static final class PathOption implements ITypeConverter<PathPolicy> {
    @Override
    public PathPolicy convert(String text) {
      return switch (text.toLowerCase(Locale.ROOT)) {
        case "auto" -> PathPolicy.PREFER_RDMA;
        case "tcp" -> PathPolicy.TCP_ONLY;
        case "rdma" -> PathPolicy.REQUIRE_RDMA;
        default -> throw new TypeConversionException("'" + text + "' is not auto, tcp or rdma");
      };
    }
  }
}
