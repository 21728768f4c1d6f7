package io.verbena.channel;

import java.net.URI;
import java.util.Arrays;
import java.util.List;

/** A fixed list of servers. */
public final class StaticResolver implements Resolver {
  private final List<Endpoint> endpoints;

  /** Makes a resolver that reports these endpoints, once. */
  public StaticResolver(List<Endpoint> endpoints) {
    this.endpoints = List.copyOf(endpoints);
  }

  List<Endpoint> endpoints() {
    return endpoints;
  }

  /** Makes resolvers for {@code static:host:port,host:port}. */
  public static final class Provider implements ResolverProvider {
    @Override
    public String scheme() {
      return "static";
    }

    @Override
    public Resolver resolver(URI target, ChannelTime time) {
      List<Endpoint> endpoints =
          Arrays.stream(target.getSchemeSpecificPart().split(","))
              .map(String::strip)
              .filter(address -> !address.isEmpty())
              .map(Endpoint::of)
              .toList();
      if (endpoints.isEmpty()) {
        throw new IllegalArgumentException(
            "'" + target + "' names no server: write static:host:port,host:port");
      }
      return new StaticResolver(endpoints);
    }
  }

  @Override
  public void start(Listener listener) {
    listener.endpoints(endpoints);
  }

  @Override
  public void close() {}
}
