/**
 * How links come about: offers with one-time tokens, connecting by them, the connection manager's
 * events, and the driver that steps everything on one loop's thread. The only other thread is the
 * waiter's, which blocks for a loop that is idle and touches nothing but the wait set.
 */
@NullMarked
package io.verbena.rdma.cm;

import org.jspecify.annotations.NullMarked;
