package io.verbena.api.bulk;

import io.verbena.api.RpcStatus;
import io.verbena.api.VerbenaException;
import org.jspecify.annotations.Nullable;

/** The failure of a transfer. The message names the object, the offset and the cause. */
public final class TransferException extends VerbenaException {
  private static final long serialVersionUID = 1L;

  private final String object;
  private final long offset;

  /**
   * Makes a failure.
   *
   * @param object the object, in words
   * @param offset the number of bytes that had arrived
   * @param why the problem and its remedy, in words
   */
  public TransferException(
      RpcStatus status, String object, long offset, String why, @Nullable Throwable cause) {
    this(status, object, "", offset, why, cause);
  }

  /**
   * Makes a failure that also names the object's source or landing.
   *
   * @param whence the source or landing, in words; empty if it is unknown
   */
  public TransferException(
      RpcStatus status,
      String object,
      String whence,
      long offset,
      String why,
      @Nullable Throwable cause) {
    super(status, message(status, object, whence, offset, why), cause);
    this.object = object;
    this.offset = offset;
  }

  private static String message(
      RpcStatus status, String object, String whence, long offset, String why) {
    String which = whence.isEmpty() ? object : object + " (" + whence + ")";
    return which + " failed at offset " + offset + ": " + status + ": " + why;
  }

  /** Returns the object, in words. */
  public String object() {
    return object;
  }

  /** Returns the number of bytes that the receiving end had confirmed. */
  public long offset() {
    return offset;
  }
}
