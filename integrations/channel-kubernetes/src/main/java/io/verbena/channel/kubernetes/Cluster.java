package io.verbena.channel.kubernetes;

import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;

/** Provides the client of a resolver. May block: a login may run a program. */
@FunctionalInterface
interface Cluster {
  /**
   * The cluster of this pod, or that of the {@code kubeconfig} outside of a pod. The client does
   * not retry failed requests. The watcher retries them, so that failures are reported soon.
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
   * The use of a client.
   *
   * @param end ends the use
   */
  record Use(KubernetesClient client, Runnable end) {}

  /** Provides a user's client, which the user closes. */
  static Cluster given(KubernetesClient client) {
    return () -> new Use(client, () -> {});
  }

  Use begin();
}
