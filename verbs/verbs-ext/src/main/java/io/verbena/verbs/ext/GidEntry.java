package io.verbena.verbs.ext;

/**
 * An entry of a port's GID table.
 *
 * @param gid may be {@linkplain Gid#isEmpty() empty}
 * @param type the format of packets from this address
 * @param netdev the network interface that has the address, such as {@code eth0}; empty if there is
 *     none, or if this process does not see it
 */
public record GidEntry(Gid gid, Type type, String netdev) {
  /** The format of packets. */
  public enum Type {
    /** Not RoCE: the GID is not an IP address. */
    IB,
    /** RoCE on Ethernet itself, within one segment. */
    ROCE_V1,
    /** RoCE on UDP, which is routed. */
    ROCE_V2;

    @Override
    public String toString() {
      return switch (this) {
        case IB -> "no RoCE";
        case ROCE_V1 -> "RoCE v1";
        case ROCE_V2 -> "RoCE v2";
      };
    }
  }
}
