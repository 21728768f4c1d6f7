package io.verbena.channel.kubernetes;

import io.verbena.channel.ChannelTime;
import io.verbena.channel.Resolver;
import io.verbena.channel.ResolverProvider;
import java.net.URI;

/** Makes resolvers for {@code kubernetes:///namespace/service:port}. */
public final class KubernetesProvider implements ResolverProvider {
  @Override
  public String scheme() {
    return KubernetesTarget.SCHEME;
  }

  @Override
  public Resolver resolver(URI target, ChannelTime time) {
    return new KubernetesResolver(KubernetesTarget.of(target), Cluster.OF_THIS_POD, time);
  }
}
