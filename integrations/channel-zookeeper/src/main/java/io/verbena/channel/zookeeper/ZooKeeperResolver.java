package io.verbena.channel.zookeeper;

import io.verbena.api.settings.Checks;
import io.verbena.channel.ChannelTime;
import io.verbena.channel.Endpoint;
import io.verbena.channel.Resolver;
import io.verbena.core.loop.SequentialExecutor;
import io.verbena.link.runtime.NanoClock;
import io.verbena.link.runtime.OwnThreads;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.jspecify.annotations.Nullable;

/**
 * Finds the servers that are registered below a node, and watches it. Needs ZooKeeper 3.6 or later.
 *
 * <p>While ZooKeeper is out of reach, the last servers stay. When all servers disappear at once,
 * they are kept for {@link #LAST_KEPT}: if an ensemble was down, or their sessions have expired,
 * they still serve, and will be registered again.
 */
public final class ZooKeeperResolver implements Resolver {
  /** The time for which the last servers are kept when ZooKeeper has none. */
  public static final Duration LAST_KEPT = Duration.ofSeconds(30);

  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration AGAIN = Duration.ofSeconds(5);

  private final String name;
  private final String path;
  private final Ensembles.Source ensemble;
  private final ChannelTime time;

  private final Executor threads = OwnThreads.rarelyUsed("verbena-zookeeper", 1);
  private volatile @Nullable Listener listener;

  /** The fields below belong to its tasks. */
  private final SequentialExecutor strand =
      new SequentialExecutor(this::onAThread, thrown -> failed(thrown.toString()));

  private final ConnectionStateListener onConnection = (client, state) -> connection(state);
  private Ensembles.@Nullable Use use;
  private @Nullable Registered registered;
  private List<Endpoint> servers = List.of();
  private Runnable withdrawPatience = () -> {};
  private Runnable withdrawAgain = () -> {};
  private @Nullable Runnable withdrawNone;

  /**
   * Makes a resolver with a user's client, for an ensemble that needs TLS, a login or a namespace.
   *
   * @param client started; its owner closes it, after the channel
   * @param path the parent of the servers' nodes, such as {@code /verbena/store}
   * @throws IllegalArgumentException if the path is malformed
   */
  public ZooKeeperResolver(CuratorFramework client, String path) {
    this(
        Checks.required("client", client).getZookeeperClient().getCurrentConnectionString() + path,
        ZooKeeperTarget.checked(path),
        Ensembles.given(client),
        ChannelTime.SYSTEM);
  }

  ZooKeeperResolver(String name, String path, Ensembles.Source ensemble, ChannelTime time) {
    this.name = name;
    this.path = path;
    this.ensemble = ensemble;
    this.time = time;
  }

  @Override
  public void start(Listener listener) {
    this.listener = listener;
    strand.execute(this::begin);
  }

  /** Stops looking; returns without waiting. The rest of its work ends within seconds. */
  @Override
  public void close() {
    strand.close(this::end);
  }

  private void onAThread(Runnable tasks) {
    OwnThreads.persistently(
        threads,
        tasks,
        noThread -> tellFailed(noThread.toString()),
        again -> time.after(NanoClock.nanos(AGAIN), again));
  }

  private void begin() {
    withdrawPatience = later(PATIENCE, () -> failed("it has not answered within 5 s"));
    look();
  }

  private void end() {
    withdrawPatience.run();
    withdrawAgain.run();
    keepServers();
    if (registered != null) {
      registered.close();
    }
    if (use != null) {
      use.client().getConnectionStateListenable().removeListener(onConnection);
      use.end().run();
    }
  }

  private Runnable later(Duration delay, Runnable task) {
    return time.after(NanoClock.nanos(delay), () -> strand.execute(task));
  }

  private void connection(ConnectionState state) {
    switch (state) {
      case SUSPENDED, LOST -> {
        keepServers(); // the ensemble had none, and may have lost them when it went down
        failed("it is out of reach");
      }
      case RECONNECTED -> look(); // watches do not report changes during the disconnection
      default -> {}
    }
  }

  /** Reads everything anew. The last servers stay until that is done. */
  private void look() {
    withdrawAgain.run();
    try {
      if (registered != null) {
        registered.close();
      }
      registered = Registered.watch(client(), path, strand, this::found, this::unread);
    } catch (Throwable e) { // the client may fail to start its threads
      unread(e.toString());
    }
  }

  private CuratorFramework client() {
    Ensembles.Use begun = use;
    if (begun == null) {
      begun = ensemble.begin();
      use = begun;
      begun.client().getConnectionStateListenable().addListener(onConnection, strand);
    }
    return begun.client();
  }

  /** Reports a read that failed while connected, such as one without permission. */
  private void unread(String why) {
    failed(why);
    withdrawAgain = later(AGAIN, this::look);
  }

  // ---- reports ----

  private void failed(String why) {
    withdrawPatience.run();
    tellFailed(why);
  }

  private void tellFailed(String why) {
    Listener told = listener;
    if (told != null) {
      told.failed(
          "servers could not be looked up in %s: %s; check that ZooKeeper runs there and can be reached from here"
              .formatted(name, why));
    }
  }

  private void found(List<Endpoint> now) {
    withdrawPatience.run();
    if (now.isEmpty() && !servers.isEmpty()) {
      if (withdrawNone == null) {
        withdrawNone = later(LAST_KEPT, () -> tell(List.of()));
      }
    } else {
      tell(now);
    }
  }

  private void tell(List<Endpoint> now) {
    keepServers();
    Listener told = listener;
    if (told == null) {
      return;
    }
    if (!now.isEmpty() || !servers.isEmpty()) {
      told.endpoints(now);
    }
    servers = now;
    if (now.isEmpty()) {
      told.failed("no server is registered in " + name);
    }
  }

  private void keepServers() {
    if (withdrawNone != null) {
      withdrawNone.run();
      withdrawNone = null;
    }
  }
}
