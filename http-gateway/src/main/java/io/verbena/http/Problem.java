package io.verbena.http;

import io.netty.handler.codec.http.HttpResponseStatus;
import io.verbena.api.RpcStatus;

/** A request that is answered with a failure, though no call has met it. */
final class Problem extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient HttpResponseStatus status;
  private final RpcStatus kind;

  /**
   * What is wrong with a request.
   *
   * @param kind the status in the answer's body
   */
  Problem(HttpResponseStatus status, RpcStatus kind, String message) {
    super(message, null, false, false);
    this.status = status;
    this.kind = kind;
  }

  /** A request that is none, or asks for what there is not: its sender's mistake. */
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
