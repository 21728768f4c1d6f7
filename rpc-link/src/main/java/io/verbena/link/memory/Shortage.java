package io.verbena.link.memory;

import java.util.function.LongSupplier;

/**
 * A shortage of a resource that others may release.
 *
 * @param waiters the waiters for a release
 * @param needs returns the amount that is needed of others at present; any thread may call it
 */
public record Shortage(Waiters waiters, LongSupplier needs) {}
