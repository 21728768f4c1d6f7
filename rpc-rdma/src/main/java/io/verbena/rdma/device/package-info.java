/**
 * One device as one event loop uses it: its protection domain, its completion queues, its pools of
 * registered memory, what of it is idle and makes room, the receives that a link has of its own or
 * shares with others, and which link a completion or an asynchronous event is for. Owned by the
 * loop's thread, but for {@code PinBudget}, which the loops of a provider share, and {@code
 * QueuePairEvents}, which all loops of the process share.
 */
@NullMarked
package io.verbena.rdma.device;

import org.jspecify.annotations.NullMarked;
