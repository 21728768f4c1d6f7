package io.verbena.testkit.codegen;

import io.verbena.api.RpcMethod;
import java.util.List;

/** What a contract may inherit. */
interface Inherited<T> {
  @RpcMethod(id = 20)
  List<T> inherited(T first, T second);
}
