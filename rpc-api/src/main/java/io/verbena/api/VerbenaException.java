package io.verbena.api;

import org.jspecify.annotations.Nullable;

/**
 * A failure in Verbena with its status: of a call ({@link RpcException}) or of the transfer of a
 * large object ({@link io.verbena.api.bulk.TransferException}).
 */
public abstract class VerbenaException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final RpcStatus status;

  /** Makes a failure. Only its subclasses do. */
  protected VerbenaException(RpcStatus status, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.status = status;
  }

  /** Returns the reason for the failure. */
  public final RpcStatus status() {
    return status;
  }
}
