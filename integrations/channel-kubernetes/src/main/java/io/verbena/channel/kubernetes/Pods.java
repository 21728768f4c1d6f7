package io.verbena.channel.kubernetes;

import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointConditions;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPort;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.verbena.channel.Endpoint;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The pods in all EndpointSlices of a service. While a pod moves from one slice to another, it may
 * be in several. A pod of a dual-stack service is in one for IPv4 and in one for IPv6.
 *
 * @param ready the endpoints that take calls: each pod once, by IPv4 if it has that
 * @param why the reason that there is none; empty if there is one
 */
record Pods(List<Endpoint> ready, String why) {
  static Pods of(Collection<EndpointSlice> slices, KubernetesTarget target) {
    Map<String, Endpoint> ready = new LinkedHashMap<>();
    Set<String> otherPorts = new TreeSet<>();
    boolean hasPort = false;
    List<EndpointSlice> sortedSlices = new ArrayList<>(slices);
    sortedSlices.sort(Comparator.comparing(slice -> String.valueOf(slice.getAddressType())));
    for (EndpointSlice slice : sortedSlices) {
      for (EndpointPort port : listOf(slice.getPorts())) {
        Integer number = port.getPort();
        if (number == null || !isTcp(port)) {
          continue;
        }
        String name = port.getName() == null ? "" : port.getName();
        if (target.isPort(name, number)) {
          hasPort = true;
          add(ready, slice, number, target.authority());
        } else {
          otherPorts.add(name.isEmpty() ? number.toString() : name + " (" + number + ")");
        }
      }
    }
    List<Endpoint> sorted = new ArrayList<>(ready.values());
    sorted.sort(Comparator.comparing(Endpoint::address));
    return new Pods(sorted, sorted.isEmpty() ? why(target, hasPort, otherPorts) : "");
  }

  private static void add(
      Map<String, Endpoint> ready, EndpointSlice slice, int port, String authority) {
    for (var endpoint : listOf(slice.getEndpoints())) {
      List<String> addresses = listOf(endpoint.getAddresses());
      if (addresses.isEmpty() || !takesCalls(endpoint.getConditions())) {
        continue;
      }
      String host = addresses.getFirst(); // further addresses, if any, lead to the same pod
      String address = (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
      Map<String, String> attributes = new LinkedHashMap<>();
      ObjectReference pod = endpoint.getTargetRef();
      if (pod != null && pod.getName() != null) {
        attributes.put("pod", pod.getName());
      }
      if (endpoint.getNodeName() != null) {
        attributes.put("node", endpoint.getNodeName());
      }
      String zone = endpoint.getZone() == null ? "" : endpoint.getZone();
      String once = pod == null || pod.getUid() == null ? address : pod.getUid() + ":" + port;
      ready.putIfAbsent(once, new Endpoint(address, 1, zone, attributes, authority));
    }
  }

  /** Returns whether the pod is ready. Kubernetes demands that unknown counts as ready. */
  private static boolean takesCalls(@Nullable EndpointConditions conditions) {
    return conditions == null
        || (!Boolean.FALSE.equals(conditions.getReady())
            && !Boolean.TRUE.equals(conditions.getTerminating()));
  }

  private static boolean isTcp(EndpointPort port) {
    return port.getProtocol() == null || port.getProtocol().equals("TCP");
  }

  private static <T> List<T> listOf(@Nullable List<T> list) {
    return list == null ? List.of() : list;
  }

  private static String why(KubernetesTarget target, boolean hasPort, Set<String> otherPorts) {
    String service =
        "service '%s' in namespace '%s'".formatted(target.service(), target.namespace());
    if (!hasPort && !otherPorts.isEmpty()) {
      return "%s has no port '%s': its pods have %s".formatted(service, target.port(), otherPorts);
    }
    return "%s has no ready pod: see 'kubectl -n %s get endpointslices -l %s=%s'"
        .formatted(service, target.namespace(), KubernetesResolver.LABEL, target.service());
  }
}
