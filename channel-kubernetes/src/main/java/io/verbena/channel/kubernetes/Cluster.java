package io.verbena.channel.kubernetes;

import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

/** Where a resolver has its client from. May block: a login can be a program that runs. */
@FunctionalInterface
interface Cluster {
  /**
   * The cluster of this pod; elsewhere that of the {@code kubeconfig}. What fails is tried again by
   * who watches, so that it is told soon.
   */
  Cluster OF_THIS_POD =
      () -> {
        KubernetesClient client =
            new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder().withRequestRetryBackoffLimit(1).build())
                .build();
        return new Use(client, client::close);
      };

  /**
   * One that uses a client.
   *
   * @param end when it needs it no more
   */
  record Use(KubernetesClient client, Runnable end) {}

  /** A user's own client, which is closed elsewhere. */
  static Cluster given(KubernetesClient client) {
    return () -> new Use(client, () -> {});
  }

  Use begin();
}
