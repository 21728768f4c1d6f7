package io.verbena.verbs.ffm.lib;

import io.verbena.verbs.ext.Errno;
import io.verbena.verbs.ext.VerbsException;

/** Turns the errno of a call into an exception that says what to do about it. */
public final class Cures {
  private Cures() {}

  /** What {@code call} failed with. */
  public static VerbsException failure(String call, int errno) {
    return new VerbsException(call, errno, cure(call, errno));
  }

  private static String cure(String call, int errno) {
    return switch (errno) {
      case Errno.ENOMEM -> outOfMemory(call);
      case Errno.EFAULT ->
          "The memory is not mapped, or mapped read-only; register memory that is there and, with"
              + " local write, writable.";
      case Errno.EIO -> "The device is gone or in error. Close what stands on it and open anew.";
      case Errno.ENODEV -> "No verbs device is there. Use an address that 'rdma link show' lists.";
      case Errno.EINVAL ->
          "The arguments, or the state of the object, do not allow it. Compare them with the"
              + " device's limits.";
      case Errno.EPERM, Errno.EACCES ->
          "The process lacks a right. Look at who may use /dev/infiniband/*, and in a container at"
              + " the devices that it was given.";
      case Errno.EBUSY -> "It is still in use. Destroy what stands on it first.";
      case Errno.EOPNOTSUPP, Errno.ENOSYS -> "The device's driver does not offer it.";
      case Errno.EADDRINUSE -> "The address or port is taken. Choose another port, or 0 for any.";
      case Errno.EADDRNOTAVAIL -> "This machine does not have the address. Bind to one it has.";
      case Errno.EBADF -> "The file behind it is closed. Use it only before it is destroyed.";
      default -> "See the manual page of " + call + ".";
    };
  }

  private static String outOfMemory(String call) {
    return call.startsWith("ibv_reg")
        ? "The limit of locked memory is too low. Raise it (ulimit -l, LimitMEMLOCK=) or register"
            + " less."
        : "Memory, locked memory (ulimit -l) or a limit of the device is used up. Raise it or use"
            + " less.";
  }
}
