package io.verbena.channel;

import io.verbena.api.settings.Checks;
import java.util.Map;

/**
 * Where one of several servers is, and what its registry tells of it. Immutable.
 *
 * @param address {@code host:port}, {@code tcp://host:port} or {@code mem://name}; one endpoint
 *     differs from another by it
 * @param weight its share of the calls beside others' weights, at least 1, where the balancer looks
 *     at it
 * @param zone where it stands, such as a rack or a data centre; empty if that is not known
 * @param attributes what else is told of it, for balancers of the user's
 * @param authority with TLS, the host's name that its certificate must have; empty for the host of
 *     the address
 */
public record Endpoint(
    String address, int weight, String zone, Map<String, String> attributes, String authority) {
  /** Checks what is told. */
  public Endpoint {
    Checks.required("address", address);
    Checks.required("zone", zone);
    if (weight < 1) {
      throw new IllegalArgumentException("weight of " + address + ": " + weight + " is below 1");
    }
    attributes = Map.copyOf(attributes);
    requireHost(authority);
  }

  /** With the host of the address as authority. */
  public Endpoint(String address, int weight, String zone, Map<String, String> attributes) {
    this(address, weight, zone, attributes, "");
  }

  static void requireHost(String authority) {
    Checks.that(
        Checks.required("authority", authority).matches("[\\w.-]*"),
        "authority",
        "a host's name, as store.example",
        authority);
  }

  /** An endpoint of which nothing else is known. */
  public static Endpoint of(String address) {
    return new Endpoint(address, 1, "", Map.of());
  }

  /** Returns this endpoint with another weight. */
  public Endpoint withWeight(int weight) {
    return new Endpoint(address, weight, zone, attributes, authority);
  }

  /** Returns this endpoint with another authority. */
  public Endpoint withAuthority(String authority) {
    return new Endpoint(address, weight, zone, attributes, authority);
  }

  /** Returns this endpoint in a zone. */
  public Endpoint withZone(String zone) {
    return new Endpoint(address, weight, zone, attributes, authority);
  }
}
