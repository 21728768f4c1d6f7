package io.verbena.channel;

import java.util.Comparator;
import java.util.List;

/**
 * Rendezvous hashing: each key ranks each address by a hash of both, independently of other
 * addresses. So a key keeps its address when others join or leave.
 */
final class Rendezvous {
  private static final long ODD = 0x9E3779B97F4A7C15L;
  private static final double RANGE = 0x1p53;

  private Rendezvous() {}

  /** Returns a hash of the value's string. It is the same in every process. */
  static long hash(Object value) {
    long hash = ODD;
    if (value instanceof byte[] bytes) {
      for (byte b : bytes) {
        hash = mixed(hash ^ b);
      }
    } else {
      String text = value.toString();
      for (int i = 0; i < text.length(); i++) {
        hash = mixed(hash ^ text.charAt(i));
      }
    }
    return hash;
  }

  /** Returns the endpoints that rank highest for a key, in their original order. */
  static List<Endpoint> subset(List<Endpoint> all, int size, long key) {
    if (all.size() <= size) {
      return all;
    }
    List<Endpoint> liked =
        all.stream()
            .sorted(Comparator.comparingDouble((Endpoint one) -> -liking(key, one)))
            .limit(size)
            .toList();
    return all.stream().filter(liked::contains).toList();
  }

  /**
   * Returns the rank, below 0. Each endpoint ranks highest with a chance in proportion to its
   * weight.
   */
  static double liking(long key, Endpoint endpoint) {
    long bits = mixed(key ^ hash(endpoint.address())) >>> 11;
    return Math.log((bits + 0.5) / RANGE) / endpoint.weight();
  }

  /** The finalizer of SplitMix64. */
  private static long mixed(long bits) {
    long z = bits + ODD;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
