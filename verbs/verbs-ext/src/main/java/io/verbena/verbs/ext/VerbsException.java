package io.verbena.verbs.ext;

import java.io.IOException;

/**
 * A failed verbs call: the message has the call, the error number, and the cure.
 *
 * <p>Immutable. It is an {@link IOException}, because DiSNI's signatures allow no other.
 */
public final class VerbsException extends IOException {
  private final String call;
  private final int errno;
  private final String cure;

  /**
   * Describes a failure.
   *
   * @param call the C function, such as {@code ibv_reg_mr}, for every provider
   * @param errno the positive error number ({@link Errno})
   * @param cure the fault and what to do about it, in one or two sentences
   */
  public VerbsException(String call, int errno, String cure) {
    super(call + " failed with " + Errno.name(errno) + ": " + cure);
    this.call = call;
    this.errno = errno;
    this.cure = cure;
  }

  /** Returns {@link Errno#EBADF} for the use of a closed object, with its name. */
  public static VerbsException closed(String call, String object) {
    return new VerbsException(
        call, Errno.EBADF, object + " is closed. Use it only before it is destroyed.");
  }

  /**
   * Returns {@link Errno#EBUSY} for a close in the wrong order, with the names of the users to
   * destroy first.
   */
  public static VerbsException inUse(String call, String object, String users) {
    return new VerbsException(
        call, Errno.EBUSY, object + " is still used by " + users + ". Destroy those first.");
  }

  /** Returns the C function that failed, such as {@code rdma_connect}. */
  public String call() {
    return call;
  }

  /** Returns the positive error number; see {@link Errno}. */
  public int errno() {
    return errno;
  }

  /**
   * Returns the fault and what to do about it: the message without the call and the error number.
   */
  public String cure() {
    return cure;
  }
}
