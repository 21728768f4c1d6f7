package io.verbena.channel.kubernetes;

import java.net.URI;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A port of a service: {@code kubernetes:///shop/store:rpc}.
 *
 * @param namespace the namespace; empty for the pod's own
 * @param port its name in the service, or its number in the pods
 */
record KubernetesTarget(String namespace, String service, String port) {
  static final String SCHEME = "kubernetes";

  private static final Pattern PATH =
      Pattern.compile("/(?:([a-z0-9-]+)/)?([a-z0-9-]+):([a-z0-9-]+)");

  static KubernetesTarget of(URI target) {
    Matcher path = PATH.matcher(String.valueOf(target.getPath()));
    if (!SCHEME.equalsIgnoreCase(target.getScheme())
        || target.getRawAuthority() != null
        || !path.matches()) {
      throw new IllegalArgumentException(
          "'%s' is not a port of a service: write kubernetes:///namespace/service:port, or kubernetes:///service:port for the pod's own namespace"
              .formatted(target));
    }
    String namespace = path.group(1) == null ? "" : path.group(1);
    return new KubernetesTarget(namespace, path.group(2), path.group(3));
  }

  KubernetesTarget in(String namespace) {
    return new KubernetesTarget(namespace, service, port);
  }

  /** Returns the shortest name of the service that is valid in every namespace. */
  String authority() {
    return service + "." + namespace + ".svc";
  }

  /** Returns whether a port of the pods is the one of this target. */
  boolean isPort(String name, int number) {
    return port.equals(name) || port.equals(String.valueOf(number));
  }
}
