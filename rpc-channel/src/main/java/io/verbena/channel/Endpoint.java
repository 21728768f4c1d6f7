package io.verbena.channel;

import io.verbena.api.settings.Checks;
import java.util.Map;

/**
 * The address of a server, and what its registry says of it. Immutable.
 *
 * @param address {@code host:port}, {@code tcp://host:port} or {@code mem://name}; it identifies
 *     the endpoint
 * @param weight its share of the calls relative to the weights of others, at least 1. {@link
 *     Balancer#weighted} and {@link Balancer#byKey} use it
 * @param zone its location, such as a rack or a data centre; empty if unknown
 * @param attributes other properties, for the user's balancers
 * @param authority with TLS, the host name that its certificate must have; empty for the host of
 *     the address
 */
public record Endpoint(
    String address, int weight, String zone, Map<String, String> attributes, String authority) {
  /** Checks the components. */
  public Endpoint {
    Checks.required("address", address);
    Checks.required("zone", zone);
    if (weight < 1) {
      throw new IllegalArgumentException("weight of " + address + ": " + weight + " is below 1");
    }
    attributes = Map.copyOf(attributes);
    requireHost(authority);
  }

  /** Makes an endpoint whose authority is the host of its address. */
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

  /** Returns an endpoint of weight 1 with an address alone. */
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

  /** Returns this endpoint with another zone. */
  public Endpoint withZone(String zone) {
    return new Endpoint(address, weight, zone, attributes, authority);
  }
}
