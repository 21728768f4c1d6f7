package io.verbena.core.transfer;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Received;

/** A contract whose results are large. */
@RpcService(name = "library.v1")
interface Library {
  /** A source of books. */
  record Loan(String title, ObjectRef ref) {}

  /** There is no such book. */
  final class NoSuchBook extends Exception {
    private static final long serialVersionUID = 1L;

    public NoSuchBook(String message) {
      super(message);
    }
  }

  @RpcMethod(id = 1)
  Received read(String title, Landing into) throws NoSuchBook;

  @RpcMethod(id = 2)
  Loan borrow(String title);

  @RpcMethod(id = 3, nonBlocking = true)
  Received cover(Landing into, int page);
}
