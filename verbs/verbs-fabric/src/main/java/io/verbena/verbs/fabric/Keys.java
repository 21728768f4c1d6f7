package io.verbena.verbs.fabric;

import io.verbena.verbs.ext.Access;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a device, which grant access to memory. A key has 24 bits of index, and 8 bits that
 * its owner chooses. Guarded by the fabric's lock.
 */
final class Keys {
  /** An object that a key can name. */
  sealed interface Owner permits FabricMr, FabricWindow {}

  /** The first index is large, so that small numbers are never keys. */
  private static final int FIRST_INDEX = 0x1a2;

  private final List<@Nullable Owner> owners = new ArrayList<>();

  /** Makes a key for an owner, with 0 as its low byte. */
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

  /** Returns whether this side's device may access the range for requests of {@code pd}. */
  boolean allowsLocal(FabricPd pd, int lkey, long address, long length, boolean write) {
    return find(lkey) instanceof FabricMr mr
        && mr.getLkey() == lkey
        && mr.pd == pd
        && mr.covers(address, length)
        && (!write || mr.allows(Access.LOCAL_WRITE));
  }

  /** Returns whether the peer of {@code qp} may access the range. */
  boolean allowsRemote(FabricQp qp, int rkey, long address, long length, int access) {
    return switch (find(rkey)) {
      case FabricMr mr ->
          mr.getRkey() == rkey
              && mr.pd == qp.getPd()
              && mr.covers(address, length)
              && mr.allows(access);
      case FabricWindow window -> window.allows(qp, rkey, address, length, access);
      case null -> false;
    };
  }
}
