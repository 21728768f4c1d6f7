package io.verbena.channel.zookeeper;

import io.verbena.api.settings.Checks;
import io.verbena.channel.Endpoint;
import io.verbena.core.VerbenaServer;
import io.verbena.link.HostAndPort;
import io.verbena.link.runtime.OwnThreads;
import java.io.IOException;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.nodes.PersistentNode;
import org.apache.curator.x.discovery.ServiceInstance;
import org.apache.curator.x.discovery.ServiceType;
import org.apache.curator.x.discovery.details.JsonInstanceSerializer;
import org.apache.zookeeper.CreateMode;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Registers a server in ZooKeeper, by an ephemeral node in the format of Curator's service
 * discovery. The node is created again after its session has expired. It is removed before the
 * server drains, by {@link VerbenaServer#drain}, {@link VerbenaServer#close} or SIGTERM with {@code
 * closeOnShutdown()}. If the process is killed, the node is gone after 15 s. Safe for use by any
 * thread.
 *
 * <pre>{@code
 * ZooKeeperRegistration.builder(server, "zookeeper://zk1:2181,zk2:2181/verbena/store")
 *     .advertise("10.0.0.5")
 *     .zone("eu-1")
 *     .register();
 * }</pre>
 */
public final class ZooKeeperRegistration implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperRegistration.class);
  private static final long PATIENCE_SECONDS = 10;
  private static final long CLOSE_SECONDS = 2;

  private final String name;
  private final Ensembles.Use use;
  private final PersistentNode node;
  private final AtomicBoolean withdrawing = new AtomicBoolean();
  private final CompletableFuture<Void> registered = new CompletableFuture<>();
  private final CompletableFuture<Void> withdrawn = new CompletableFuture<>();

  private ZooKeeperRegistration(String name, Ensembles.Use use, String path, byte[] data) {
    this.name = name;
    this.use = use;
    this.node = new Node(use.client(), path, data, withdrawn);
  }

  /** A node that is removed without waiting for the removal. */
  private static final class Node extends PersistentNode {
    private final CuratorFramework client;
    private final CompletableFuture<Void> deleted;

    Node(CuratorFramework client, String path, byte[] data, CompletableFuture<Void> deleted) {
      super(client, CreateMode.EPHEMERAL, false, path, data);
      this.client = client;
      this.deleted = deleted;
    }

    @Override
    protected void deleteNode() throws Exception {
      String path = getActualPath();
      if (path == null) {
        deleted.complete(null); // a node whose creation is under way is deleted once it exists
      } else {
        client
            .delete()
            .guaranteed()
            .inBackground((ignored, event) -> deleted.complete(null))
            .forPath(path);
      }
    }
  }

  /**
   * Returns a builder with the defaults.
   *
   * @param target the same as in channels, such as {@code
   *     zookeeper://zk1:2181,zk2:2181/verbena/store}
   * @throws IllegalArgumentException if the target is malformed
   */
  public static Builder builder(VerbenaServer server, String target) {
    ZooKeeperTarget place = ZooKeeperTarget.of(URI.create(Checks.required("target", target)));
    return new Builder(server, place.toString(), place.path(), Ensembles.shared(place));
  }

  /**
   * Returns a builder for a user's client, for an ensemble that needs TLS, a login, a namespace or
   * access control lists.
   *
   * @param client started; its owner closes it, after the server
   * @param path the parent of the servers' nodes, such as {@code /verbena/store}
   * @throws IllegalArgumentException if the path is malformed
   */
  public static Builder builder(VerbenaServer server, CuratorFramework client, String path) {
    String name = client.getZookeeperClient().getCurrentConnectionString() + path;
    return new Builder(server, name, ZooKeeperTarget.checked(path), Ensembles.given(client));
  }

  private void begin() {
    node.getListenable().addListener(path -> registered.complete(null));
    node.start();
    registered
        .copy()
        .orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
        .whenComplete(
            (done, late) -> {
              if (late instanceof TimeoutException) {
                LOG.warn(
                    "Not registered yet in {}: check that ZooKeeper runs there and can be reached from here; attempts continue",
                    name);
              }
            });
  }

  /**
   * Returns a stage that completes when clients can find the server. Wait for it with a limit:
   * {@code registration.registered().toCompletableFuture().get(10, TimeUnit.SECONDS)}.
   *
   * @return completes when the server's node was created for the first time. It does not complete
   *     while ZooKeeper is out of reach. It fails with an {@link IllegalStateException} if the
   *     server was withdrawn before. Its callbacks run on a thread of ZooKeeper's client
   */
  public CompletionStage<Void> registered() {
    return registered.minimalCompletionStage();
  }

  /**
   * Removes the server from ZooKeeper. Returns at once; calling it again does nothing.
   *
   * @return completes when the node is gone, or after 2 s; then the node goes with its session
   */
  public CompletionStage<Void> withdraw() {
    if (withdrawing.compareAndSet(false, true)) {
      registered.completeExceptionally(
          new IllegalStateException("withdrawn from " + name + " before it was registered"));
      try {
        node.close();
      } catch (IOException | RuntimeException e) {
        LOG.warn("Not removed from {}: the node goes when its session expires", name, e);
        withdrawn.complete(null);
      }
      withdrawn
          .completeOnTimeout(null, CLOSE_SECONDS, TimeUnit.SECONDS)
          .thenRun(
              () ->
                  OwnThreads.background(
                      "verbena-zookeeper-end", use.end(), noThread -> use.end().run()));
    }
    return withdrawn.minimalCompletionStage();
  }

  /** Calls {@link #withdraw}, and waits for at most 2 s. */
  @Override
  public void close() {
    try {
      withdraw().toCompletableFuture().get();
    } catch (ExecutionException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The data of a server's node. */
  public static final class Builder {
    private static final Set<String> EVERY_ADDRESS = Set.of("", "0.0.0.0", "::", "0:0:0:0:0:0:0:0");

    private final VerbenaServer server;
    private final String name;
    private final String path;
    private final Ensembles.Source ensemble;
    private final Map<String, String> payload = new LinkedHashMap<>();
    private String host;
    private int port;

    private Builder(VerbenaServer server, String name, String path, Ensembles.Source ensemble) {
      this.server = Checks.required("server", server);
      this.name = name;
      this.path = path;
      this.ensemble = ensemble;
      String listens = Objects.requireNonNullElse(server.address().getHost(), "");
      this.host = listens.startsWith("[") ? listens.substring(1, listens.length() - 1) : listens;
      this.port = server.address().getPort();
    }

    /**
     * Sets the address for clients: {@code host}, or {@code host:port} or {@code tcp://host:port}
     * if the port differs from the one that the server listens at. Default: the address that it
     * listens at.
     *
     * @throws IllegalArgumentException if the address is malformed
     */
    public Builder advertise(String address) {
      try {
        HostAndPort told =
            HostAndPort.parse(
                Checks.required("advertise", address).strip().replaceFirst("^(?i)tcp://", ""),
                Math.max(0, server.address().getPort()));
        host = told.host();
        port = told.port();
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "'" + address + "' is not an address: write host or host:port", e);
      }
      return this;
    }

    /**
     * Sets the server's share of the calls, relative to the weights of others. Default: 1.
     *
     * @param weight 1 to 100,000
     */
    public Builder weight(int weight) {
      payload.put(
          Instances.WEIGHT, String.valueOf(Checks.between("weight", weight, 1, Instances.MOST)));
      return this;
    }

    /** Sets the server's location, such as a rack or a data centre. Default: none. */
    public Builder zone(String zone) {
      payload.put(Instances.ZONE, Checks.required("zone", zone));
      return this;
    }

    /**
     * Sets the host name in the server's certificate, for clients with TLS. Default: the advertised
     * host.
     *
     * @param host a name without a port, such as {@code store.example}
     * @throws IllegalArgumentException if it is malformed
     */
    public Builder authority(String host) {
      payload.put(Instances.AUTHORITY, Endpoint.of(host).withAuthority(host).authority());
      return this;
    }

    /**
     * Adds an attribute for balancers.
     *
     * @throws IllegalArgumentException if the name is {@code weight}, {@code zone}, {@code
     *     authority} or {@code @class}
     */
    public Builder attribute(String name, String value) {
      Checks.that(
          !Instances.OURS.contains(name), "an attribute's name", "none of " + Instances.OURS, name);
      payload.put(name, Checks.required("value", value));
      return this;
    }

    /**
     * Begins to register the server; returns without waiting for ZooKeeper. While ZooKeeper is out
     * of reach, the attempts continue, and a warning is logged after 10 s. {@link
     * ZooKeeperRegistration#registered} completes when the server is registered.
     *
     * @throws IllegalStateException if the address for clients is unknown
     */
    public ZooKeeperRegistration register() {
      if (!"tcp".equals(server.address().getScheme()) || EVERY_ADDRESS.contains(host)) {
        throw new IllegalStateException(
            "clients elsewhere cannot reach '%s': listen at an address of this machine that they can reach, or set advertise(\"10.0.0.5\")"
                .formatted(server.address()));
      }
      String id = UUID.randomUUID().toString();
      byte[] data = data(id);
      Ensembles.Use use = ensemble.begin();
      ZooKeeperRegistration registration =
          new ZooKeeperRegistration(name, use, path + "/" + id, data);
      registration.begin();
      server.beforeDrain(registration::withdraw);
      return registration;
    }

    private byte[] data(String id) {
      @Nullable Integer noTlsPort = null;
      ServiceInstance<Map<String, String>> instance =
          new ServiceInstance<>(
              path.substring(path.lastIndexOf('/') + 1),
              id,
              host,
              port,
              noTlsPort,
              payload,
              System.currentTimeMillis(),
              ServiceType.DYNAMIC,
              null);
      try {
        return serializer().serialize(instance);
      } catch (Exception e) {
        throw new IllegalStateException("cannot be written as JSON: " + payload, e);
      }
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // a map of texts has no class literal
    private static JsonInstanceSerializer<Map<String, String>> serializer() {
      return new JsonInstanceSerializer(Map.class);
    }
  }
}
