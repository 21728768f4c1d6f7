package io.verbena.verbs.ext;

/**
 * An entry of a port's GID table.
 *
 * @param gid perhaps {@linkplain Gid#isEmpty() empty}
 * @param type how packets from this address are built
 * @param netdev the network interface whose address it is, such as {@code eth0}; empty where none
 *     is, or where this process does not see it
 */
public record GidEntry(Gid gid, Type type, String netdev) {
  /** How packets are built. */
  public enum Type {
    /** Whatever is no RoCE: the GID is no IP address. */
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
