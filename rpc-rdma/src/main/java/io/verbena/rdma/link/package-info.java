/**
 * A link over one reliable connected queue pair: sending with exact credits, receiving in place,
 * and an end after which nothing of it moves any more. Called by the driver and, through the link
 * SPI, by the core; on the loop's thread alone.
 *
 * <pre>
 *   RdmaLink ─→ DutyCycle ────────┬─→ SendSide ─→ FramePacker, SendSlots, Orders ─┐
 *        │                        ├─→ ReceiveSide ─→ Arrivals, Receives ──────────┼─→ CreditLedger
 *        └────→ CompletionRouter ─┴─→ RdmaBulk ─→ BulkSends, OwnTargets ──────────┘   SendQueue
 *                    └───────────────────→ LinkFaults ─→ LinkLife ─→ Ending
 * </pre>
 */
@NullMarked
package io.verbena.rdma.link;

import org.jspecify.annotations.NullMarked;
