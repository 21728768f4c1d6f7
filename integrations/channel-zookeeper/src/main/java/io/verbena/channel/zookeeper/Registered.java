package io.verbena.channel.zookeeper;

import io.verbena.channel.Endpoint;
import java.io.IOException;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.apache.curator.utils.ZKPaths;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The servers below one node, from the first complete read until the connection is lost. It is
 * created, notified and closed on one thread, through an executor.
 */
final class Registered implements CuratorCacheListener {
  private static final Logger LOG = LoggerFactory.getLogger(Registered.class);

  private final String path;
  private final CuratorCache cache;
  private final Consumer<List<Endpoint>> found;
  private final Consumer<String> failed;

  /** The content of each node; null for one that cannot be read. */
  private final Map<String, ReadNode> nodes = new LinkedHashMap<>();

  private boolean whole;
  private boolean over;

  /** The server of a node; null if it is disabled. Later nodes have higher numbers. */
  private record ReadNode(@Nullable Endpoint endpoint, long number) {}

  private Registered(
      CuratorFramework client,
      String path,
      Executor thread,
      Consumer<List<Endpoint>> found,
      Consumer<String> failed) {
    this.path = path;
    this.found = found;
    this.failed = failed;
    this.cache =
        CuratorCache.builder(client, path)
            .withExceptionHandler(e -> thread.execute(() -> broken(e)))
            .build();
  }

  /**
   * Begins to read and to watch.
   *
   * @param thread runs the callbacks one after the other
   * @param found receives all servers, after the first complete read and after each change
   * @param failed receives the reason if they could not be read
   */
  static Registered watch(
      CuratorFramework client,
      String path,
      Executor thread,
      Consumer<List<Endpoint>> found,
      Consumer<String> failed) {
    Registered registered = new Registered(client, path, thread, found, failed);
    registered.cache.listenable().addListener(registered, thread);
    registered.cache.start();
    return registered;
  }

  void close() {
    over = true;
    cache.close();
  }

  private void broken(Exception e) {
    if (!over) {
      over = true; // the list may be incomplete
      failed.accept(e.toString());
    }
  }

  @Override
  public void event(Type type, @Nullable ChildData before, @Nullable ChildData now) {
    if (now != null && isServer(now.getPath())) {
      nodes.put(now.getPath(), read(now));
    } else if (before != null) {
      nodes.remove(before.getPath());
    }
    tell();
  }

  @Override
  public void initialized() {
    whole = true;
    tell();
  }

  private boolean isServer(String node) {
    return ZKPaths.getPathAndNode(node).getPath().equals(path);
  }

  private static ReadNode read(ChildData node) {
    long number = node.getStat().getCzxid();
    try {
      Optional<Endpoint> endpoint = Instances.read(node.getData());
      return new ReadNode(endpoint.orElse(null), number);
    } catch (IOException e) {
      LOG.warn("Node {} is not used: {}", node.getPath(), e.getMessage());
      return new ReadNode(null, number);
    }
  }

  private void tell() {
    if (over || !whole) {
      return;
    }
    Map<String, Endpoint> newest = new LinkedHashMap<>();
    nodes.values().stream()
        .sorted(Comparator.comparingLong(ReadNode::number).reversed())
        .map(ReadNode::endpoint)
        .forEach(
            endpoint -> {
              if (endpoint != null) {
                newest.putIfAbsent(endpoint.address(), endpoint);
              }
            });
    found.accept(newest.values().stream().sorted(Comparator.comparing(Endpoint::address)).toList());
  }
}
