package io.verbena.api.bulk;

import io.verbena.api.RpcStatus;
import io.verbena.api.VerbenaException;
import org.jspecify.annotations.Nullable;

/** A transfer that failed. The message names the object, the offset and the cause. */
public final class TransferException extends VerbenaException {
  private static final long serialVersionUID = 1L;

  private final String object;
  private final long offset;

  /**
   * A failure.
   *
   * @param object what was transferred, in words
   * @param offset so many bytes had arrived
   * @param why what went wrong, and what to do
   */
  public TransferException(
      RpcStatus status, String object, long offset, String why, @Nullable Throwable cause) {
    this(status, object, "", offset, why, cause);
  }

  /**
   * A failure as the end sees it that knows more of the object.
   *
   * @param whence where its bytes come from, or go; empty if that is not known
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

  /** Returns what was transferred, in words. */
  public String object() {
    return object;
  }

  /** Returns how many bytes the receiving end had confirmed. */
  public long offset() {
    return offset;
  }
}
