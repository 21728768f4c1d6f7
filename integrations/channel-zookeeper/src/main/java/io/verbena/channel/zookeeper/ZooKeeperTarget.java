package io.verbena.channel.zookeeper;

import java.net.URI;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.common.PathUtils;

/**
 * A service in an ensemble: {@code zookeeper://zk1:2181,zk2:2181/verbena/store}.
 *
 * @param ensemble {@code host:port,host:port}
 * @param path the parent of the servers' nodes, from the root
 */
record ZooKeeperTarget(String ensemble, String path) {
  static final String SCHEME = "zookeeper";

  static ZooKeeperTarget of(URI target) {
    String ensemble = target.getRawAuthority();
    try {
      if (!SCHEME.equalsIgnoreCase(target.getScheme()) || ensemble == null) {
        throw new IllegalArgumentException("it has no ensemble");
      }
      ConnectStringParser ignored = new ConnectStringParser(ensemble); // for its check of the ports
      return new ZooKeeperTarget(ensemble, checked(target.getPath()));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "'%s' is not a target in ZooKeeper (%s): write zookeeper://zk1:2181,zk2:2181/verbena/store"
              .formatted(target, e.getMessage()),
          e);
    }
  }

  /** Returns the path if it is valid for a service. */
  static String checked(String path) {
    PathUtils.validatePath(path);
    if (path.equals("/")) {
      throw new IllegalArgumentException("it has no path");
    }
    return path;
  }

  @Override
  public String toString() {
    return SCHEME + "://" + ensemble + path;
  }
}
