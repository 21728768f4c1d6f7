/** Finds the servers of a channel by Kubernetes. */
module io.verbena.channel.kubernetes {
  requires transitive io.verbena.channel;
  requires transitive kubernetes.client.api;
  requires kubernetes.model.core;
  requires kubernetes.model.discovery;
  requires static transitive org.jspecify;

  exports io.verbena.channel.kubernetes;

  provides io.verbena.channel.ResolverProvider with
      io.verbena.channel.kubernetes.KubernetesProvider;
}
