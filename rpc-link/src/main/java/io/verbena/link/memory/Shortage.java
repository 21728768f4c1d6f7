package io.verbena.link.memory;

import java.util.function.LongSupplier;

/**
 * What is missing, where others may give it back.
 *
 * @param waiters who are told when they do
 * @param needs how much of what others have is needed by now; asked by any thread
 */
public record Shortage(Waiters waiters, LongSupplier needs) {}
