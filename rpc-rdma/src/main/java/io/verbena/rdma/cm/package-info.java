/**
 * The making of links: offers with one-time tokens, connecting with them, the connection manager's
 * events, and the driver that steps everything on the thread of one loop. The only other thread is
 * the waiter's, which blocks for an idle loop, and touches only the wait set.
 */
@NullMarked
package io.verbena.rdma.cm;

import org.jspecify.annotations.NullMarked;
