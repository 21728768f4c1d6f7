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

/** The options that select a server, and the path to it. */
final class Server {
  @Parameters(
      index = "0",
      paramLabel = "HOST:PORT",
      converter = Address.class,
      description = "the address of a Verbena server")
  private String address = "";

  @Option(
      names = "--path",
      paramLabel = "PATH",
      defaultValue = "auto",
      converter = PathOption.class,
      description = "the path of the call: auto, tcp or rdma (default: ${DEFAULT-VALUE})")
  private PathPolicy path = PathPolicy.PREFER_RDMA;

  @Mixin private Credentials credentials = new Credentials();

  String address() {
    return address;
  }

  /**
   * Returns a client for the server.
   *
   * @param limit the longest time to connect
   * @throws IllegalArgumentException if the options contradict each other, or a file cannot be read
   */
  VerbenaClient client(Duration limit) {
    VerbenaClient.Builder builder = VerbenaClient.builder().path(path).connectTimeout(limit);
    credentials.showBy(builder);
    return builder.build();
  }

  /** Parses {@code auto}, {@code tcp} and {@code rdma}. */
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
