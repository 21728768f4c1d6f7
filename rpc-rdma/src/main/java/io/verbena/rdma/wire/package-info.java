/**
 * What travels between the two ends of an RDMA link, and the two numbers that the device hands back
 * (wr_id), each laid out once. Pure functions and records; everything read here comes from a peer
 * and is checked.
 */
@NullMarked
package io.verbena.rdma.wire;

import org.jspecify.annotations.NullMarked;
