package io.verbena.rdma;

import io.verbena.verbs.ext.GidEntry;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.Locale;
import java.util.Objects;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/**
 * Selects the verbs devices and addresses that RDMA links may use. A null, a negative port or a
 * negative GID index admits any. Immutable.
 *
 * @param device a device's name, such as {@code mlx5_0}
 * @param port a port of the device, from 1
 * @param gid an index in the port's GID table
 * @param type RoCE v1 or v2
 * @param family 4 or 6, for IPv4 or IPv6; else negative
 * @param netdev a network interface, such as {@code eth1}
 * @param subnet the network of the address
 */
public record DeviceChoice(
    @Nullable String device,
    int port,
    int gid,
    GidEntry.@Nullable Type type,
    int family,
    @Nullable String netdev,
    @Nullable Subnet subnet) {
  /** Admits every device and address. */
  public static final DeviceChoice ANY = new DeviceChoice(null, -1, -1, null, -1, null, null);

  /** The text form, for messages. */
  static final String FORM =
      "a device's name, perhaps with :PORT, or of these, with commas between: device=NAME,"
          + " port=1 to 255, gid=0 to 65535, type=roce-v1 or roce-v2, family=ipv4 or ipv6,"
          + " netdev=NAME, subnet=ADDRESS/BITS";

  /**
   * A network of IP addresses.
   *
   * @param address any of its addresses
   * @param bits the length of the common prefix
   */
  public record Subnet(InetAddress address, int bits) {
    /** Checks the length of the prefix. */
    public Subnet {
      int most = address.getAddress().length * Byte.SIZE;
      if (bits < 0 || bits > most) {
        throw new IllegalArgumentException(
            "bits of a subnet is 0 to %d, not %d".formatted(most, bits));
      }
    }

    /** Returns whether an address is in the network. */
    public boolean contains(InetAddress other) {
      byte[] own = address.getAddress();
      byte[] its = other.getAddress();
      if (own.length != its.length) {
        return false;
      }
      for (int bit = 0; bit < bits; bit++) {
        int mask = 0x80 >> (bit % Byte.SIZE);
        if (((own[bit / Byte.SIZE] ^ its[bit / Byte.SIZE]) & mask) != 0) {
          return false;
        }
      }
      return true;
    }

    @Override
    public String toString() {
      return address.getHostAddress() + "/" + bits;
    }
  }

  /**
   * Reads a choice: {@code mlx5_0}, {@code mlx5_0:1} or {@code netdev=eth1,type=roce-v2}; the empty
   * text is {@link #ANY}.
   *
   * @throws IllegalArgumentException if the text is malformed; the message shows the form
   */
  public static DeviceChoice of(String text) {
    DeviceChoice choice = ANY;
    try {
      for (String part : text.isBlank() ? new String[0] : text.split(",", -1)) {
        choice = choice.with(part.strip());
      }
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("device is " + FORM + ", not " + text, e);
    }
    return choice;
  }

  private DeviceChoice with(String part) {
    int equals = part.indexOf('=');
    if (equals < 0) {
      int colon = part.lastIndexOf(':');
      return colon < 0
          ? with("device", part)
          : with("device", part.substring(0, colon)).with("port", part.substring(colon + 1));
    }
    return with(part.substring(0, equals).strip(), part.substring(equals + 1).strip());
  }

  private DeviceChoice with(String key, String value) {
    require(!value.isEmpty());
    return switch (key.toLowerCase(Locale.ROOT)) {
      case "device" -> new DeviceChoice(value, port, gid, type, family, netdev, subnet);
      case "port" ->
          new DeviceChoice(device, number(value, 1, 255), gid, type, family, netdev, subnet);
      case "gid" ->
          new DeviceChoice(device, port, number(value, 0, 65_535), type, family, netdev, subnet);
      case "type" -> new DeviceChoice(device, port, gid, type(value), family, netdev, subnet);
      case "family" -> new DeviceChoice(device, port, gid, type, family(value), netdev, subnet);
      case "netdev" -> new DeviceChoice(device, port, gid, type, family, value, subnet);
      case "subnet" -> new DeviceChoice(device, port, gid, type, family, netdev, subnet(value));
      default -> throw new IllegalArgumentException(key);
    };
  }

  private static int number(String value, int least, int most) {
    int number = Integer.parseInt(value);
    require(number >= least && number <= most);
    return number;
  }

  private static GidEntry.Type type(String value) {
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "roce-v1" -> GidEntry.Type.ROCE_V1;
      case "roce-v2" -> GidEntry.Type.ROCE_V2;
      default -> throw new IllegalArgumentException(value);
    };
  }

  private static int family(String value) {
    return switch (value.toLowerCase(Locale.ROOT)) {
      case "ipv4" -> 4;
      case "ipv6" -> 6;
      default -> throw new IllegalArgumentException(value);
    };
  }

  private static Subnet subnet(String value) {
    int slash = value.indexOf('/');
    require(slash > 0);
    return new Subnet(
        InetAddress.ofLiteral(value.substring(0, slash)),
        Integer.parseInt(value.substring(slash + 1)));
  }

  private static void require(boolean condition) {
    if (!condition) {
      throw new IllegalArgumentException();
    }
  }

  /** Returns whether it admits every device and address. */
  boolean isAny() {
    return equals(ANY);
  }

  /**
   * Returns the reason that links must not use a port of a device; empty if they may.
   *
   * @param number of the port, from 1; less if it is unknown
   */
  public String objectionTo(String name, int number) {
    if (device != null && !device.equals(name)) {
      return "not " + device;
    }
    return port >= 0 && number > 0 && port != number ? "not port " + port : "";
  }

  /** Returns the reason that links must not use an address; empty if they may. */
  String objectionTo(DeviceAddress one) {
    InetAddress address = one.address();
    String ofPort = one.device().isEmpty() ? "" : objectionTo(one.device(), one.port());
    if (!ofPort.isEmpty()) {
      return ofPort;
    } else if (gid >= 0 && gid != one.gid()) {
      return "not GID " + gid;
    } else if (type != null && type != one.type()) {
      return "not " + type;
    } else if (family >= 0 && family != (address instanceof Inet4Address ? 4 : 6)) {
      return "not IPv" + family;
    } else if (netdev != null && !netdev.equals(one.netdev())) {
      return "not of " + netdev;
    } else if (subnet != null && !subnet.contains(address)) {
      return "not in " + subnet;
    }
    return "";
  }

  /** Returns a text from which {@link #of} makes an equal choice. */
  @Override
  public String toString() {
    StringJoiner parts = new StringJoiner(",");
    if (device != null) {
      parts.add("device=" + device);
    }
    if (port >= 0) {
      parts.add("port=" + port);
    }
    if (gid >= 0) {
      parts.add("gid=" + gid);
    }
    if (type != null) {
      parts.add("type=" + Objects.toString(type).toLowerCase(Locale.ROOT).replace(' ', '-'));
    }
    if (family >= 0) {
      parts.add("family=ipv" + family);
    }
    if (netdev != null) {
      parts.add("netdev=" + netdev);
    }
    if (subnet != null) {
      parts.add("subnet=" + subnet);
    }
    return parts.toString();
  }
}
