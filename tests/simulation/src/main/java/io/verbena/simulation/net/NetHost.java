package io.verbena.simulation.net;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A host of the network, with its address, connections and listeners. */
public final class NetHost {
  private static final int GARBLED_ONE_IN = 8;

  private final String address;
  private final Set<StreamEnd> ends = new LinkedHashSet<>();
  private final Set<StreamDriver.Backlog> listenings = new LinkedHashSet<>();
  private @Nullable SplittableRandom garbling;
  private int nextPort = 40_000;

  NetHost(String address) {
    this.address = address;
  }

  /** Returns the address, such as {@code 10.9.0.1}. */
  public String address() {
    return address;
  }

  Set<StreamEnd> ends() {
    return ends;
  }

  Set<StreamDriver.Backlog> listenings() {
    return listenings;
  }

  StreamDriver.@Nullable Backlog listening(int port) {
    for (StreamDriver.Backlog listening : listenings) {
      if (listening.address().getPort() == port) {
        return listening;
      }
    }
    return null;
  }

  int nextPort() {
    return nextPort++;
  }

  /**
   * Corrupts some bytes that the host sends, or ends that.
   *
   * @param chance chooses the bytes; null for none
   */
  public void garble(@Nullable SplittableRandom chance) {
    garbling = chance;
  }

  /** Corrupts bytes that leave this host, if that was set. */
  void leaves(byte[] bytes) {
    SplittableRandom chance = garbling;
    if (chance != null && chance.nextInt(GARBLED_ONE_IN) == 0) {
      bytes[chance.nextInt(bytes.length)] ^= (byte) (1 << chance.nextInt(8));
    }
  }

  /** Ends the process. Connections are reset, and listeners vanish. */
  public void killProcess() {
    List.copyOf(ends).forEach(StreamEnd::kill);
    List.copyOf(listenings).forEach(StreamDriver.Backlog::vanish);
  }

  /** Resets every connection of this host. */
  public void resetAll() {
    for (StreamEnd end : List.copyOf(ends)) {
      end.out.reset();
      end.in.shut();
      end.wasReset();
    }
  }
}
