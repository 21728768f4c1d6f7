package io.verbena.channel.zookeeper;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.verbena.channel.Endpoint;
import io.verbena.link.HostAndPort;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads the nodes that Curator's service discovery writes for servers. It does so without the
 * classes of their payloads: a node's data must not choose a class to load, and payload classes of
 * other programs are not on the class path. If a payload is an object, its members {@code weight},
 * {@code zone} and {@code authority} are used, and all other plain members are attributes.
 */
final class Instances {
  static final String WEIGHT = "weight";
  static final String ZONE = "zone";

  static final String AUTHORITY = "authority";

  /** The highest weight. */
  static final int MOST = 100_000;

  /** The member in which Jackson writes a class name. */
  private static final String CLASS = "@class";

  /** Members that are not attributes. */
  static final List<String> OURS = List.of(WEIGHT, ZONE, AUTHORITY, CLASS);

  private static final ObjectMapper JSON =
      new ObjectMapper(
          JsonFactory.builder()
              // Otherwise the names of attributes are kept for ever.
              .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
              .build());

  private Instances() {}

  /**
   * Returns the endpoint of a node; empty if its server is disabled.
   *
   * @throws IOException if it is malformed; the message says how
   */
  static Optional<Endpoint> read(byte[] data) throws IOException {
    JsonNode instance = JSON.readTree(data);
    if (!instance.isObject()) {
      throw new IOException("it is not a JSON object");
    }
    String address = address(instance.path("address").asText(""), instance.path("port").asInt(0));
    if (!instance.path("enabled").asBoolean(true)) {
      return Optional.empty();
    }
    Map<String, String> payload = plainMembers(instance.path("payload"));
    int weight = weight(payload.remove(WEIGHT));
    String zone = Objects.requireNonNullElse(payload.remove(ZONE), "");
    String authority = authority(payload.remove(AUTHORITY));
    return Optional.of(new Endpoint(address, weight, zone, payload, authority));
  }

  private static String address(String host, int port) throws IOException {
    boolean bareIpv6 = host.contains(":") && !host.startsWith("[");
    String address = (bareIpv6 ? "[" + host + "]" : host) + ":" + port;
    try {
      if (port > 0) {
        return HostAndPort.parse(address).toString();
      }
    } catch (IllegalArgumentException e) {
      // The failure is reported below.
    }
    throw new IOException("'" + address + "' is not an address with a port of 1 to 65535");
  }

  /** Returns the members that are texts, numbers or booleans, without the class name. */
  private static Map<String, String> plainMembers(JsonNode payload) {
    Map<String, String> members = new LinkedHashMap<>();
    payload
        .properties()
        .forEach(
            member -> {
              if (member.getValue().isValueNode() && !member.getValue().isNull()) {
                members.put(member.getKey(), member.getValue().asText());
              }
            });
    members.remove(CLASS);
    return members;
  }

  private static String authority(@Nullable String told) {
    return told != null && told.matches("[\\w.-]+") ? told : "";
  }

  /** Returns the weight; 1 if it is not a valid one, since it may have another meaning there. */
  private static int weight(@Nullable String told) {
    int weight = told != null && told.matches("[0-9]{1,6}") ? Integer.parseInt(told) : 1;
    return Math.clamp(weight, 1, MOST);
  }
}
