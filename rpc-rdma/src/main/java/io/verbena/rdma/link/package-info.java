/**
 * A link over one reliable connected queue pair: it sends with exact credits, receives in place,
 * and has an end after which nothing of it moves any more. The driver calls it, and the core
 * through the link SPI, only on the loop's thread.
 *
 * <pre>
 *   RdmaLink ─→ QpDrain ─→ ReceiveSide ─→ RdmaBulk ─→ LocalTargets ─→ SendSide
 *      ↑                        │                                         │
 *      │                        └─────────────────────────────────────────┴─→ CreditLedger
 *      └─ RdmaBulk, LocalTargets (is it open, does it fail), LinkContext (steps it)
 * </pre>
 *
 * <p>Each class may use those to its right. Three arrows run back, all to the link. The core calls
 * the two ends of bulk, and a request that they cannot post ends the link. The driver steps links
 * through the context.
 */
@NullMarked
package io.verbena.rdma.link;

import org.jspecify.annotations.NullMarked;
