package io.verbena.channel.zookeeper;

import io.verbena.channel.ChannelTime;
import io.verbena.channel.Resolver;
import io.verbena.channel.ResolverProvider;
import java.net.URI;

/** Makes resolvers for {@code zookeeper://zk1:2181,zk2:2181/verbena/store}. */
public final class ZooKeeperProvider implements ResolverProvider {
  @Override
  public String scheme() {
    return ZooKeeperTarget.SCHEME;
  }

  @Override
  public Resolver resolver(URI target, ChannelTime time) {
    ZooKeeperTarget place = ZooKeeperTarget.of(target);
    return new ZooKeeperResolver(place.toString(), place.path(), Ensembles.shared(place), time);
  }
}
