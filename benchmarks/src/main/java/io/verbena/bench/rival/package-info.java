/**
 * What Verbena is measured beside: raw sockets, raw Netty, gRPC. Each is written as its users write
 * it.
 */
@NullMarked
package io.verbena.bench.rival;

import org.jspecify.annotations.NullMarked;
