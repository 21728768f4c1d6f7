package io.verbena.spring;

import io.verbena.channel.ChannelTime;
import io.verbena.channel.Endpoint;
import io.verbena.channel.Resolver;
import io.verbena.channel.ResolverProvider;
import io.verbena.channel.StaticResolver;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/** Stands in for a registry: knows where the servers of a name are. */
public final class NamedServers implements ResolverProvider {
  private static final Map<String, String> ADDRESSES = new ConcurrentHashMap<>();

  static void put(String name, String address) {
    ADDRESSES.put(name, address);
  }

  @Override
  public String scheme() {
    return "verbena";
  }

  @Override
  public Resolver resolver(URI target, ChannelTime time) {
    String name = target.getPath().substring(1);
    String address = Objects.requireNonNull(ADDRESSES.get(name), name);
    return new StaticResolver(List.of(Endpoint.of(address)));
  }
}
