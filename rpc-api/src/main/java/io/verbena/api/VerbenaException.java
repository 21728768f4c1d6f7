package io.verbena.api;

import org.jspecify.annotations.Nullable;

/**
 * What failed in Verbena, with its status: a call ({@link RpcException}) or the transfer of a large
 * object ({@link io.verbena.api.bulk.TransferException}).
 */
public abstract class VerbenaException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final RpcStatus status;

  /** A failure; made by its subclasses only. */
  protected VerbenaException(RpcStatus status, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.status = status;
  }

  /** Returns why it failed. */
  public final RpcStatus status() {
    return status;
  }
}
