package io.verbena.core.session;

import io.verbena.core.SessionLimits;
import io.verbena.core.link.LinkCapabilities;
import io.verbena.core.loop.EventLoop;
import io.verbena.core.memory.MemoryBudget;
import io.verbena.core.memory.SlotPool;
import java.util.concurrent.Executor;

/**
 * What the sessions of one client or server share.
 *
 * @param loop steps them
 * @param limits what each allows
 * @param slots where small messages are encoded
 * @param fragmentSlots where the pieces of long messages are put
 * @param assemblies what long messages may take while they arrive
 * @param handlers runs handlers that may block
 */
public record SessionContext(
    EventLoop loop,
    SessionLimits limits,
    SlotPool slots,
    SlotPool fragmentSlots,
    MemoryBudget assemblies,
    Executor handlers) {

  /** Returns why calls ride this link, for {@link io.verbena.api.Path#reason}. */
  String pathReason(LinkCapabilities link) {
    String rdma = "no RDMA link on the class path";
    return link.detail().isEmpty() ? rdma : link.detail() + "; " + rdma;
  }
}
