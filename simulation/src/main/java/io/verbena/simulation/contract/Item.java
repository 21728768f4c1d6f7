package io.verbena.simulation.contract;

import java.lang.foreign.MemorySegment;

/**
 * One of a stream.
 *
 * @param op its call's number
 * @param index its place in the stream, from 0 on
 */
public record Item(long op, int index, MemorySegment value) {}
