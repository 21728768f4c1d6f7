package io.verbena.cli.call;

import io.verbena.cli.Address;
import io.verbena.cli.Credentials;
import io.verbena.core.PathPolicy;
import io.verbena.core.VerbenaClient;
import java.time.Duration;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
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

  @Mixin private Credentials credentials = new Credentials();

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
    credentials.showBy(builder);
    return builder.build();
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
