package io.verbena.http;

import io.netty.handler.codec.http.HttpResponseStatus;
import io.verbena.api.RpcStatus;

/** A failure of a request for which no call was made. */
final class Problem extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient HttpResponseStatus status;
  private final RpcStatus kind;

  /**
   * Makes a failure.
   *
   * @param kind the status in the answer's body
   */
  Problem(HttpResponseStatus status, RpcStatus kind, String message) {
    super(message, null, false, false);
    this.status = status;
    this.kind = kind;
  }

  /** Returns a failure for a malformed request. */
  static Problem wrong(String why) {
    return new Problem(HttpResponseStatus.BAD_REQUEST, RpcStatus.INVALID_ARGUMENT, why);
  }

  HttpResponseStatus status() {
    return status;
  }

  RpcStatus kind() {
    return kind;
  }
}
