package io.verbena.verbs.fabric;

import com.ibm.disni.verbs.IbvMr;
import io.verbena.verbs.ext.Closing;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsMr;
import java.io.IOException;

/** A memory region. Its local and remote keys differ, so that a mix-up of both fails. */
final class FabricMr extends IbvMr implements VerbsMr, Keys.Owner {
  private static final int LOCAL_KEY = 0x11;
  private static final int REMOTE_KEY = 0x22;

  final FabricPd pd;
  private final long bytes;
  private final long token;
  private int windows;

  FabricMr(FabricPd pd, long address, long length, int access, int number) throws IOException {
    super(
        pd.getContext(), address, (int) Math.min(length, Integer.MAX_VALUE), access, 0, 0, number);
    this.access = access;
    this.pd = pd;
    bytes = length;
    int key = pd.keys().add(this);
    lkey = key | LOCAL_KEY;
    rkey = key | REMOTE_KEY;
    token = pd.device.handles.add(this);
    pd.addUser();
    pd.device.host.objects++;
  }

  @Override
  public long length() {
    return bytes;
  }

  @Override
  public long handle() {
    return token;
  }

  @Override
  public int expPrefetchMr(long address, int length) {
    return 0;
  }

  @Override
  public void deregister() throws VerbsException {
    synchronized (pd.device.fabric.lock) {
      if (!isOpen) {
        throw VerbsException.closed("ibv_dereg_mr", "The memory region");
      }
      pd.device.host.checkDestroys("ibv_dereg_mr");
      if (windows > 0) {
        throw new VerbsException(
            "ibv_dereg_mr",
            Errno.EINVAL,
            windows + " memory windows are bound to the region. Invalidate them first.");
      }
      isOpen = false;
      pd.keys().remove(lkey);
      pd.device.handles.remove(token);
      pd.device.unregister(bytes);
      pd.device.uncount(DeviceLimit.REGIONS);
      pd.removeUser();
      pd.device.host.objects--;
    }
  }

  @Override
  public void close() {
    Closing.unless(!isOpen, this::deregister);
  }

  // The methods below are called under the fabric's lock.

  boolean covers(long address, long length) {
    return address >= addr && length <= bytes && address - addr <= bytes - length;
  }

  boolean allows(int flags) {
    return (access & flags) == flags;
  }

  void bound(int change) {
    windows += change;
  }
}
