/**
 * The layouts of all messages between the two ends of an RDMA link, and of the two numbers that the
 * device returns (wr_id and immediate), each defined once. Pure functions and records. Everything
 * that is read here comes from a peer, and is checked.
 */
@NullMarked
package io.verbena.rdma.wire;

import org.jspecify.annotations.NullMarked;
