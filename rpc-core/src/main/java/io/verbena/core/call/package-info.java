/**
 * Calls on both sides. A call begins and ends on its session's event loop. A caller encodes on its
 * own thread, and a handler runs on the executor.
 *
 * <pre>
 *   SessionCaller ──→ PendingCall ←──→ OutgoingCalls ──┬──→ MessagesAwaitingValues ──→ Calls: what all
 *                     ServerCall  ←──→ IncomingCalls ──┘                               have in common
 *                        ↑                  ↓
 *                     HandlerStarts, IncomingOneways
 * </pre>
 */
@NullMarked
package io.verbena.core.call;

import org.jspecify.annotations.NullMarked;
