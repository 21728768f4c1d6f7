package io.verbena.verbs.ffm.lib;

import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsException;

/** Turns the errno of a call into an exception with a cure. */
public final class Cures {
  private Cures() {}

  /** Returns the failure of {@code call}. */
  public static VerbsException failure(String call, int errno) {
    return new VerbsException(call, errno, cure(call, errno));
  }

  private static String cure(String call, int errno) {
    return switch (errno) {
      case Errno.ENOMEM -> outOfMemory(call);
      case Errno.EFAULT ->
          "The memory is not mapped, or mapped read-only, or is a shared mapping of a file, into"
              + " which Linux lets no device write since 6.5. Register mapped memory; for local write"
              + " it must be writable.";
      case Errno.EIO -> "The device is gone or in error. Close its objects and open it again.";
      case Errno.ENODEV ->
          "There is no verbs device. Use the address of a device that 'rdma link show' lists.";
      case Errno.EINVAL ->
          "The arguments, or the state of the object, do not allow it. Compare them with the"
              + " device's limits.";
      case Errno.EPERM, Errno.EACCES ->
          "The process lacks a permission. Check the permissions of /dev/infiniband/*, and in a"
              + " container its list of devices.";
      case Errno.EAGAIN ->
          "The control group allows no more objects of the device. Raise its rdma.max.";
      case Errno.EBUSY -> "The object is still in use. Destroy its dependents first.";
      case Errno.EOPNOTSUPP, Errno.ENOSYS -> "The device's driver does not support the call.";
      case Errno.EADDRINUSE -> "The address or port is taken. Choose another port, or 0 for any.";
      case Errno.EADDRNOTAVAIL ->
          "This machine does not have the address. Bind to an address of this machine.";
      case Errno.EBADF -> "The object's file is closed. Do not use a destroyed object.";
      default -> "See the manual page of " + call + ".";
    };
  }

  private static String outOfMemory(String call) {
    return call.startsWith("ibv_reg")
        ? "The limit of locked memory (ulimit -l, LimitMEMLOCK=) is too low, or the device has no"
            + " room for so large a region. Raise the limit or register less."
        : "Memory, locked memory (ulimit -l) or a limit of the device is used up. Raise it or use"
            + " less.";
  }
}
