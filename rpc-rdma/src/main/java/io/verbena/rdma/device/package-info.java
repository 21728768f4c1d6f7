/**
 * One device as used by one event loop: its protection domains, completion queues and pools of
 * registered memory; idle registrations, which make room for others; receives of a link's own or
 * shared ones; and the link of each completion and asynchronous event. The loop's thread owns it,
 * except for {@code PinBudget}, which the loops of a provider share, and {@code DeviceEvents},
 * which all loops of the process share.
 */
@NullMarked
package io.verbena.rdma.device;

import org.jspecify.annotations.NullMarked;
