/**
 * One device as one event loop uses it: its protection domain, its completion queues, its pools of
 * registered memory, and which link a completion is for. Owned by the loop's thread.
 */
@NullMarked
package io.verbena.rdma.device;

import org.jspecify.annotations.NullMarked;
