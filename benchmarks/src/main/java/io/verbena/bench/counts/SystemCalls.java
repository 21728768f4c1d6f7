package io.verbena.bench.counts;

/**
 * What some operations over TCP have asked of the kernel.
 *
 * @param title what was done
 * @param operations how often
 * @param bytes what they have moved, all together
 * @param client by the client's threads
 * @param server by the server's
 */
public record SystemCalls(String title, int operations, long bytes, Calls client, Calls server) {}
