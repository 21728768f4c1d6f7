package io.verbena.core.session;

import io.verbena.core.SessionLimits;
import io.verbena.core.bulk.BulkContext;
import io.verbena.core.link.LinkOptions;
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
 * @param link how links are opened
 * @param upgrade whether and how sessions upgrade
 * @param bulk memory for large objects, and those that are published
 */
public record SessionContext(
    EventLoop loop,
    SessionLimits limits,
    SlotPool slots,
    SlotPool fragmentSlots,
    MemoryBudget assemblies,
    Executor handlers,
    LinkOptions link,
    UpgradeOptions upgrade,
    BulkContext bulk) {}
