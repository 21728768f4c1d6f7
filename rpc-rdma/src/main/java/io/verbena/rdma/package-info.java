/**
 * The RDMA link, which sessions upgrade to: the provider that is found by ServiceLoader, its
 * settings and its counters. The rooms below: {@code wire} lays out what travels, {@code device}
 * owns a device's queues and registered memory, {@code link} moves frames, {@code cm} connects and
 * steps it all.
 *
 * <p>Written against DiSNI's types and the extensions of verbs-ext alone; which verbs these are, a
 * real device's or a fabric's in memory, is the business of a {@code VerbsProvider}. Everything but
 * the provider and the counters belongs to the one thread that steps the event loop.
 */
@NullMarked
package io.verbena.rdma;

import org.jspecify.annotations.NullMarked;
