/**
 * A network of streams: bytes in order with latency, a rate and bounded buffers, and what befalls
 * them; and the link over it. Each driver is its loop's alone.
 */
@NullMarked
package io.verbena.simulation.net;

import org.jspecify.annotations.NullMarked;
