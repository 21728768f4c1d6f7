package io.verbena.core.contract;

import io.verbena.api.RpcStatus;
import io.verbena.api.stub.MethodDescriptor;
import io.verbena.core.sequence.Outgoing;

/**
 * A call, as contracts see it. It waits until the compatibility of both ends' contracts is known.
 */
public interface ContractCall extends Outgoing {
  MethodDescriptor<?> method();

  /**
   * Returns whether the call may be given to a peer now. A call that must wait says when it may
   * leave.
   */
  boolean mayLeave();

  /** Sets the place of the method at the peer. */
  void directTo(int place);

  /** Fails the call, which cannot be made. */
  void refuse(RpcStatus status, String why);
}
