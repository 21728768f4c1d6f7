package io.verbena.api.bulk;

import io.verbena.api.RpcStatus;
import org.jspecify.annotations.Nullable;

/** A transfer that failed. The message names the object, the offset and the cause. */
public final class TransferException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final RpcStatus status;
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
    super(object + " failed at offset " + offset + ": " + status + ": " + why, cause);
    this.status = status;
    this.object = object;
    this.offset = offset;
  }

  /** Returns why it failed. */
  public RpcStatus status() {
    return status;
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
