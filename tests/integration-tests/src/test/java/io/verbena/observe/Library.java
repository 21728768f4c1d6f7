package io.verbena.observe;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;

/** The contract that these tests call. */
@RpcService(name = "library.v1")
interface Library {
  @RpcMethod(id = 1)
  String lend(String title) throws Lent;

  /** Somebody has it. */
  final class Lent extends Exception {}
}
