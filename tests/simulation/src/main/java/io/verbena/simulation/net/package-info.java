/**
 * A network of streams with latency, a rate, bounded buffers and faults, and the link over it. Each
 * driver belongs to one loop.
 */
@NullMarked
package io.verbena.simulation.net;

import org.jspecify.annotations.NullMarked;
