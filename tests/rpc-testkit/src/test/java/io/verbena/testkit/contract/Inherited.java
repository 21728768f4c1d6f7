package io.verbena.testkit.contract;

import io.verbena.api.RpcMethod;
import java.util.List;

/** The methods that a contract may inherit. */
interface Inherited<T> {
  @RpcMethod(id = 20)
  List<T> inherited(T first, T second);
}
