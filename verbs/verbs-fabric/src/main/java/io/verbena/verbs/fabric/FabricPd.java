package io.verbena.verbs.fabric;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import io.verbena.verbs.ext.Access;
import io.verbena.verbs.ext.Closing;
import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.MemoryWindow;
import io.verbena.verbs.ext.SharedReceiveQueue;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsPd;
import java.io.IOException;

/** A protection domain. */
final class FabricPd extends IbvPd implements VerbsPd {
  final FabricContext device;
  private int users;

  FabricPd(FabricContext device, int number) throws IOException {
    super(device);
    this.device = device;
    handle = number;
    device.host.objects++;
  }

  @Override
  public int getHandle() {
    return handle;
  }

  @Override
  public IbvMr registerMemory(long address, long length, int access) throws IOException {
    synchronized (device.fabric.lock) {
      use("ibv_reg_mr");
      int remoteChange = Access.REMOTE_WRITE | Access.REMOTE_ATOMIC;
      if (length < 1 || ((access & remoteChange) != 0 && (access & Access.LOCAL_WRITE) == 0)) {
        throw new VerbsException(
            "ibv_reg_mr",
            Errno.EINVAL,
            "a region has at least one byte, and remote write or atomic access needs LOCAL_WRITE.");
      }
      if (address == 0) {
        throw new VerbsException("ibv_reg_mr", Errno.EFAULT, "nothing is mapped at address 0.");
      }
      if ((access & Access.LOCAL_WRITE) != 0 && device.host.isInMappedFile(address)) {
        throw new VerbsException("ibv_reg_mr", Errno.EFAULT, "no device writes into this file.");
      }
      device.host.checkObjects("ibv_reg_mr");
      device.count("ibv_reg_mr", DeviceLimit.REGIONS);
      try {
        device.register(length);
      } catch (VerbsException e) {
        device.uncount(DeviceLimit.REGIONS);
        throw e;
      }
      device.host.tally.registrations++;
      return new FabricMr(this, address, length, access, device.fabric.number());
    }
  }

  @Override
  public MemoryWindow allocateWindow() throws VerbsException {
    synchronized (device.fabric.lock) {
      use("ibv_alloc_mw");
      if (!device.host.profile.makesWindows()) {
        throw new VerbsException(
            "ibv_alloc_mw", Errno.EOPNOTSUPP, "this device has no memory windows.");
      }
      device.host.checkObjects("ibv_alloc_mw");
      device.count("ibv_alloc_mw", DeviceLimit.WINDOWS);
      return new FabricWindow(this);
    }
  }

  @Override
  public SharedReceiveQueue createSrq(int maxRequests, int maxSges) throws VerbsException {
    synchronized (device.fabric.lock) {
      use("ibv_create_srq");
      DeviceProfile profile = device.host.profile;
      if (!profile.srq()) {
        throw new VerbsException(
            "ibv_create_srq", Errno.EOPNOTSUPP, "this device has no shared receive queues.");
      }
      if (profile.has(DeviceBehaviour.REFUSES_SHARED_RECEIVES)) {
        throw new VerbsException(
            "ibv_create_srq", Errno.ENOMEM, "this device makes none of those that it reports.");
      }
      if (maxRequests < 1
          || maxRequests > profile.limit(DeviceLimit.SHARED_RECEIVES)
          || maxSges > profile.limit(DeviceLimit.PIECES)) {
        throw new VerbsException(
            "ibv_create_srq", Errno.EINVAL, "more requests or pieces than the device allows.");
      }
      return new FabricSrq(this, maxRequests, maxSges);
    }
  }

  @Override
  public int deallocPd() throws VerbsException {
    synchronized (device.fabric.lock) {
      use("ibv_dealloc_pd");
      if (users > 0) {
        throw VerbsException.inUse(
            "ibv_dealloc_pd", "a protection domain", users + " regions, windows or queues");
      }
      isOpen = false;
      device.host.objects--;
      device.uncount(DeviceLimit.DOMAINS);
      return 0;
    }
  }

  @Override
  public void close() {
    Closing.unless(!isOpen, this::deallocPd);
  }

  // The methods below are called under the fabric's lock.

  /** Checks the domain for a call. On a removed device destroying works, but making does not. */
  void use(String call) throws VerbsException {
    if (!isOpen) {
      throw VerbsException.closed(call, "The protection domain");
    }
    if (call.equals("ibv_dealloc_pd")) {
      device.host.checkDestroys(call);
    } else {
      device.check(call);
    }
  }

  Keys keys() {
    return device.keys;
  }

  void addUser() {
    users++;
  }

  void removeUser() {
    users--;
  }
}
