package io.verbena.grpc;

import io.grpc.Attributes;
import io.grpc.EquivalentAddressGroup;
import io.grpc.NameResolver;
import io.grpc.NameResolverProvider;
import io.grpc.StatusOr;
import io.grpc.internal.GrpcUtil;
import java.net.SocketAddress;
import java.net.URI;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Resolves targets such as {@code verbena:///localhost:7400}, by service loader. Several addresses
 * are separated by commas.
 */
public final class VerbenaNameResolverProvider extends NameResolverProvider {
  static final String SCHEME = "verbena";

  /** Below that of DNS: targets without a scheme stay with the first of all providers. */
  private static final int PRIORITY = 4;

  /** Makes the provider. The service loader calls it. */
  public VerbenaNameResolverProvider() {}

  /** Returns the target of one address. */
  static String target(String host, int port) {
    return SCHEME + ":///" + GrpcUtil.authorityFromHostAndPort(host, port);
  }

  /** Returns a target as a URI, in whose path the brackets of IPv6 addresses are encoded. */
  static String uri(String target) {
    String begin = SCHEME + "://";
    if (!target.regionMatches(true, 0, begin, 0, begin.length())) {
      return target;
    }
    String addresses = target.substring(begin.length()).replaceFirst("^/+", "");
    return begin + "/" + addresses.replace("[", "%5B").replace("]", "%5D");
  }

  @Override
  protected boolean isAvailable() {
    return true;
  }

  @Override
  protected int priority() {
    return PRIORITY;
  }

  @Override
  public String getDefaultScheme() {
    return SCHEME;
  }

  @Override
  public Collection<Class<? extends SocketAddress>> getProducedSocketAddressTypes() {
    return List.of(VerbenaAddress.class);
  }

  @Override
  public @Nullable NameResolver newNameResolver(URI target, NameResolver.Args args) {
    if (!SCHEME.equalsIgnoreCase(target.getScheme())) {
      return null;
    }
    String path = addresses(target);
    List<VerbenaAddress> addresses =
        Arrays.stream(path.replaceFirst("^/+", "").replaceFirst("/+$", "").split(",", -1))
            .map(String::strip)
            .map(
                one -> {
                  if (one.isEmpty()) {
                    throw new IllegalArgumentException(
                        target + " lacks an address: write verbena:///host:port");
                  }
                  return new VerbenaAddress(one);
                })
            .toList();
    return new Fixed(addresses);
  }

  /** Returns the part of a target that has the addresses. */
  private static String addresses(URI target) {
    String path = target.getPath();
    if (path == null) {
      return target.getSchemeSpecificPart();
    }
    String authority = target.getAuthority();
    return path.length() <= 1 && authority != null ? authority : path;
  }

  private static final class Fixed extends NameResolver {
    private final List<VerbenaAddress> addresses;

    Fixed(List<VerbenaAddress> addresses) {
      this.addresses = addresses;
    }

    @Override
    public String getServiceAuthority() {
      return addresses.getFirst().authority();
    }

    @Override
    public void start(Listener2 listener) {
      Attributes attributes =
          addresses.size() == 1
              ? Attributes.EMPTY
              : Attributes.newBuilder().set(GrpcChannelSettings.HAS_OTHERS, true).build();
      List<EquivalentAddressGroup> groups =
          addresses.stream().map(one -> new EquivalentAddressGroup(one, attributes)).toList();
      listener.onResult(
          ResolutionResult.newBuilder().setAddressesOrError(StatusOr.fromValue(groups)).build());
    }

    @Override
    public void shutdown() {}
  }
}
