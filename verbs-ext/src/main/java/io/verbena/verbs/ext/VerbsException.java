package io.verbena.verbs.ext;

import java.io.IOException;

/**
 * A verbs call that failed: which call, with which error number, and what to do about it.
 *
 * <p>Immutable. It is an {@link IOException} because that is what DiSNI's signatures allow.
 */
public final class VerbsException extends IOException {
  private final String call;
  private final int errno;
  private final String cure;

  /**
   * Describes a failure.
   *
   * @param call the C function, such as {@code ibv_reg_mr}, whichever provider it is
   * @param errno the positive error number ({@link Errno})
   * @param cure what went wrong there and what to do, as one or two sentences
   */
  public VerbsException(String call, int errno, String cure) {
    super(call + " failed with " + Errno.name(errno) + ": " + cure);
    this.call = call;
    this.errno = errno;
    this.cure = cure;
  }

  /** For use after close: {@link Errno#EBADF}, naming the object. */
  public static VerbsException closed(String call, String object) {
    return new VerbsException(
        call, Errno.EBADF, object + " is closed. Use it only before it is destroyed.");
  }

  /** For close out of order: {@link Errno#EBUSY}, naming what must go first. */
  public static VerbsException inUse(String call, String object, String users) {
    return new VerbsException(
        call, Errno.EBUSY, object + " is still used by " + users + ". Destroy those first.");
  }

  /** The C function that failed, such as {@code rdma_connect}. */
  public String call() {
    return call;
  }

  /** The positive error number; see {@link Errno}. */
  public int errno() {
    return errno;
  }

  /** What went wrong and what to do: the message without the call and the error number. */
  public String cure() {
    return cure;
  }
}
