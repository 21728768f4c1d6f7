/**
 * The rivals of Verbena, such as raw sockets, raw Netty and gRPC. The code of each is as its users
 * write it.
 */
@NullMarked
package io.verbena.bench.rival;

import org.jspecify.annotations.NullMarked;
