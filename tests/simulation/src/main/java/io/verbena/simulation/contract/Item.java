package io.verbena.simulation.contract;

import java.lang.foreign.MemorySegment;

/**
 * An item of a stream.
 *
 * @param op the number of its call
 * @param index the index in the stream, from 0
 */
public record Item(long op, int index, MemorySegment value) {}
