package io.verbena.verbs.fabric;

import io.verbena.verbs.ext.Access;
import io.verbena.verbs.ext.MemoryWindow;
import io.verbena.verbs.ext.VerbsException;
import org.jspecify.annotations.Nullable;

/**
 * A type 2B window. It is bound to a range for one queue pair, until it is invalidated.
 *
 * <p>A window has two keys. The owner advances {@link #rkey()} when it prepares requests. The
 * device uses the key of the last binding that was carried out.
 */
final class FabricWindow implements MemoryWindow, Keys.Owner {
  private final FabricPd pd;
  private final long token;
  private int preparedKey;
  private int deviceKey;
  private @Nullable FabricMr region;
  private @Nullable FabricQp qp;
  private long address;
  private long length;
  private int access;
  private boolean open = true;

  FabricWindow(FabricPd pd) {
    this.pd = pd;
    deviceKey = pd.keys().add(this);
    preparedKey = deviceKey;
    token = pd.device.handles.add(this);
    pd.addUser();
    pd.device.host.objects++;
  }

  @Override
  public int rkey() {
    return preparedKey;
  }

  @Override
  public int nextRkey() {
    preparedKey = (preparedKey & ~0xff) | ((preparedKey + 1) & 0xff);
    return preparedKey;
  }

  @Override
  public long handle() {
    return token;
  }

  @Override
  public void deallocate() throws VerbsException {
    synchronized (pd.device.fabric.lock) {
      if (!open) {
        throw VerbsException.closed("ibv_dealloc_mw", "The memory window");
      }
      pd.device.host.checkDestroys("ibv_dealloc_mw");
      open = false;
      unbind();
      pd.keys().remove(deviceKey);
      pd.device.uncount(DeviceLimit.WINDOWS);
      pd.device.handles.remove(token);
      pd.removeUser();
      pd.device.host.objects--;
    }
  }

  // The methods below are called under the fabric's lock.

  /** Carries out a bind request of {@code owner}. Returns false if it is not allowed. */
  boolean bind(FabricQp owner, FabricMr target, SendRequest request) {
    int remoteChange = Access.REMOTE_WRITE | Access.REMOTE_ATOMIC;
    boolean allowed =
        open
            && region == null
            && owner.getPd() == pd
            && target.pd == pd
            && target.allows(Access.MW_BIND)
            && (request.bindRkey >>> 8) == (deviceKey >>> 8)
            && request.bindRkey != deviceKey
            && request.bindLength > 0
            && target.covers(request.bindAddress, request.bindLength)
            && ((request.bindAccess & remoteChange) == 0 || target.allows(Access.LOCAL_WRITE));
    if (allowed) {
      deviceKey = request.bindRkey;
      region = target;
      target.bound(1);
      qp = owner;
      address = request.bindAddress;
      length = request.bindLength;
      access = request.bindAccess;
    }
    return allowed;
  }

  /** Carries out an invalidation by {@code by} or its peer. Returns false if it is not allowed. */
  boolean invalidate(FabricQp by, int rkey) {
    if (rkey != deviceKey || (region != null && qp != by)) {
      return false;
    }
    unbind();
    return true;
  }

  boolean allows(FabricQp by, int rkey, long from, long count, int flags) {
    FabricMr target = region;
    return rkey == deviceKey
        && target != null
        && qp == by
        && (checksBounds() ? isWithin(from, count) : target.covers(from, count))
        && (access & flags) == flags;
  }

  private boolean checksBounds() {
    return pd.device.host.profile.windows() == DeviceProfile.Windows.BOUNDED;
  }

  private boolean isWithin(long from, long count) {
    return from >= address && count <= length && from - address <= length - count;
  }

  private void unbind() {
    if (region != null) {
      region.bound(-1);
      region = null;
      qp = null;
    }
  }
}
