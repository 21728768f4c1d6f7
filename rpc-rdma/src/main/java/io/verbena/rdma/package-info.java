/**
 * The RDMA link, to which sessions upgrade: the provider that ServiceLoader finds, its settings and
 * its counters. Package {@code wire} lays out the messages, {@code device} owns a device's queues
 * and registered memory, {@code link} moves frames, and {@code cm} connects links and steps
 * everything.
 *
 * <p>The code uses only DiSNI's types and the extensions of verbs-ext. A {@code VerbsProvider}
 * decides whether the verbs are those of a real device or of a fabric in memory. Everything except
 * the provider and the counters belongs to the one thread that steps the event loop.
 */
@NullMarked
package io.verbena.rdma;

import org.jspecify.annotations.NullMarked;
