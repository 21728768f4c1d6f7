package io.verbena.core.contract;

import io.verbena.api.RpcStatus;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.core.sequence.Outgoing;

/** A call, as far as contracts are concerned: it waits until it is known how they fit. */
public interface ContractCall extends Outgoing {
  MethodDescriptor<?> method();

  /** Returns whether it has ended: it need not be sent any more. */
  boolean isDone();

  /** Returns whether it may be given to a peer now; one that may not tells when it may. */
  boolean mayLeave();

  /** It is for the peer's method of this place. */
  void directTo(int place);

  /** It cannot be made. */
  void refuse(RpcStatus status, String why);
}
