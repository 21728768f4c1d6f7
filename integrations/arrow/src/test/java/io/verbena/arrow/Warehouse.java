package io.verbena.arrow;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;

/** Keeps tables. */
@RpcService(name = "warehouse.v1")
interface Warehouse {
  /** Returns the schema of all tables, as Arrow writes it. */
  @RpcMethod(id = 1)
  byte[] schema();

  /** Returns a table. */
  @RpcMethod(id = 2)
  Received read(int rows, Landing into);

  /** Takes a table that the caller has published; returns its values. */
  @RpcMethod(id = 3)
  int take(ObjectRef batch);
}
