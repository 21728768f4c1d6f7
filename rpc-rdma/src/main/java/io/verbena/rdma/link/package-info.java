/**
 * A link over one reliable connected queue pair: sending with exact credits, receiving in place,
 * and an end after which nothing of it moves any more. Called by the driver and, through the link
 * SPI, by the core; on the loop's thread alone.
 *
 * <pre>
 *   RdmaLink ─→ QpDrain ─→ ReceiveSide ─→ RdmaBulk ─→ LocalTargets ─→ SendSide
 *      ↑                        │                                         │
 *      │                        └─────────────────────────────────────────┴─→ CreditLedger
 *      └─ RdmaBulk, LocalTargets (is it open, does it fail), LinkContext (steps it)
 * </pre>
 *
 * <p>Each class may use those to its right. Three arrows run back, all to the link: the core calls
 * the two ends of bulk, and what they cannot post ends the link; and the driver has links stepped.
 */
@NullMarked
package io.verbena.rdma.link;

import org.jspecify.annotations.NullMarked;
