package io.verbena.http;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Returns what it is given, of types whose values may be too much for an answer. */
@RpcService(name = "mirror.v1")
interface Mirror {
  @RpcMethod(id = 1)
  Nested nested(Nested value);

  @RpcMethod(id = 2)
  BigInteger whole(BigInteger value);

  @RpcMethod(id = 3)
  BigDecimal decimal(BigDecimal value);

  @RpcMethod(id = 4)
  Branches branches(Branches value);

  record Nested(Optional<Nested> next) {}

  record Branches(List<Branches> list, Map<String, Branches> map) {}
}
