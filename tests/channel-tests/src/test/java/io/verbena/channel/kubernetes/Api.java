package io.verbena.channel.kubernetes;

import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesCrudDispatcher;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import io.verbena.core.VerbenaServer;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.logging.Level;
import java.util.logging.Logger;

/** An API server that keeps what it is told, and that can go away and come back. */
final class Api implements AutoCloseable {
  /** Kept here, or its level would be forgotten. */
  private static final Logger REQUESTS = Logger.getLogger("io.fabric8.mockwebserver");

  static {
    REQUESTS.setLevel(Level.WARNING);
  }

  private final KubernetesCrudDispatcher kept = new KubernetesCrudDispatcher();
  private KubernetesMockServer server = start(0);
  private final int port = server.getPort();
  final KubernetesClient client = server.createClient();

  private KubernetesMockServer start(int port) {
    KubernetesMockServer started =
        new KubernetesMockServer(new Context(), new MockWebServer(), new HashMap<>(), kept, false);
    started.init(InetAddress.getLoopbackAddress(), port);
    return started;
  }

  String url() {
    return server.url("/");
  }

  void stop() {
    server.destroy();
  }

  void comeBack() {
    server = start(port);
  }

  /**
   * A slice of the service {@code shop/store}: since all addresses are alike here, one for each.
   */
  private static EndpointSlice slice(VerbenaServer server, boolean ready) {
    return new EndpointSliceBuilder()
        .withNewMetadata()
        .withNamespace("shop")
        .withName("store-" + server.address().getPort())
        .addToLabels(KubernetesResolver.LABEL, "store")
        .endMetadata()
        .withAddressType("IPv4")
        .addNewPort("", "rpc", server.address().getPort(), "TCP")
        .addNewEndpoint()
        .withAddresses("127.0.0.1")
        .withZone("eu-1")
        .withNewConditions()
        .withReady(ready)
        .endConditions()
        .endEndpoint()
        .build();
  }

  void add(VerbenaServer server) {
    client.resource(slice(server, true)).create();
  }

  void notReady(VerbenaServer server) {
    client.resource(slice(server, false)).update();
  }

  void remove(VerbenaServer server) {
    client.resource(slice(server, true)).delete();
  }

  /**
   * The stand-in gives its connections ten seconds to end: where they need longer, no test is at
   * fault.
   */
  @Override
  public void close() {
    client.close();
    try {
      server.destroy();
    } catch (IllegalStateException e) {
      System.err.println("The API server's stand-in: " + e);
    }
  }
}
