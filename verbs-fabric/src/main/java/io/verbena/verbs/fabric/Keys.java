package io.verbena.verbs.fabric;

import io.verbena.verbs.ext.Access;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a device: who may touch which memory. A key is 24 bits of index and 8 of its owner's.
 * Guarded by the fabric's lock.
 */
final class Keys {
  /** What a key can name. */
  sealed interface Owner permits FabricMr, FabricWindow {}

  /** So that 0 and small numbers are never keys. */
  private static final int FIRST_INDEX = 0x1a2;

  private final List<@Nullable Owner> owners = new ArrayList<>();

  /** A new key for an owner, its low byte 0. */
  int add(Owner owner) {
    owners.add(owner);
    return (FIRST_INDEX + owners.size() - 1) << 8;
  }

  void remove(int key) {
    owners.set((key >>> 8) - FIRST_INDEX, null);
  }

  @Nullable Owner find(int key) {
    int index = (key >>> 8) - FIRST_INDEX;
    return index < 0 || index >= owners.size() ? null : owners.get(index);
  }

  /** Whether this side's device may touch the range for requests of {@code pd}. */
  boolean allowsLocal(FabricPd pd, int lkey, long address, long length, boolean write) {
    return find(lkey) instanceof FabricMr mr
        && mr.getLkey() == lkey
        && mr.pd() == pd
        && mr.covers(address, length)
        && (!write || mr.allows(Access.LOCAL_WRITE));
  }

  /** Whether the peer of {@code qp} may touch the range; an empty one needs no key. */
  boolean allowsRemote(FabricQp qp, int rkey, long address, long length, int access) {
    if (length == 0) {
      return true;
    }
    return switch (find(rkey)) {
      case FabricMr mr ->
          mr.getRkey() == rkey
              && mr.pd() == qp.getPd()
              && mr.covers(address, length)
              && mr.allows(access);
      case FabricWindow window -> window.allows(qp, rkey, address, length, access);
      case null -> false;
    };
  }
}
