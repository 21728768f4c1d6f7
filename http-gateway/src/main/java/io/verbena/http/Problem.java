package io.verbena.http;

import io.netty.handler.codec.http.HttpResponseStatus;
import io.verbena.api.RpcStatus;

/** A request that is answered with a failure, though no call has met it. */
final class Problem extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient HttpResponseStatus status;
  private final String kind;

  /**
   * What is wrong with a request.
   *
   * @param kind the status in the answer's body: one of Verbena's
   */
  Problem(HttpResponseStatus status, String kind, String message) {
    super(message, null, false, false);
    this.status = status;
    this.kind = kind;
  }

  /** A request that is none, or asks for what there is not: its sender's mistake. */
  static Problem wrong(String why) {
    return new Problem(HttpResponseStatus.BAD_REQUEST, RpcStatus.INVALID_ARGUMENT.name(), why);
  }

  HttpResponseStatus status() {
    return status;
  }

  String kind() {
    return kind;
  }
}
