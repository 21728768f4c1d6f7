package io.verbena.verbs.ext;

import java.util.Map;

/** The error numbers of Linux that verbs calls return. */
public final class Errno {
  public static final int EPERM = 1;
  public static final int ENOENT = 2;
  public static final int EINTR = 4;
  public static final int EIO = 5;
  public static final int EBADF = 9;
  public static final int EAGAIN = 11;
  public static final int ENOMEM = 12;
  public static final int EACCES = 13;
  public static final int EFAULT = 14;
  public static final int EBUSY = 16;
  public static final int ENODEV = 19;
  public static final int EINVAL = 22;
  public static final int ENOSYS = 38;
  public static final int EOPNOTSUPP = 95;
  public static final int EADDRINUSE = 98;
  public static final int EADDRNOTAVAIL = 99;
  public static final int ENETUNREACH = 101;
  public static final int ECONNRESET = 104;
  public static final int EISCONN = 106;
  public static final int ENOTCONN = 107;
  public static final int ETIMEDOUT = 110;
  public static final int ECONNREFUSED = 111;
  public static final int EHOSTUNREACH = 113;

  private static final Map<Integer, String> NAMES = Constants.names(Errno.class);

  private Errno() {}

  /** Returns the symbolic name, for messages; never fails. */
  public static String name(int errno) {
    return NAMES.getOrDefault(errno, "errno " + errno);
  }
}
