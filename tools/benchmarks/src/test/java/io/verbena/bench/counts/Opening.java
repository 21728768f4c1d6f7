package io.verbena.bench.counts;

import io.verbena.bench.verbena.Route;

/**
 * What opening a session has cost both ends.
 *
 * @param route on what
 * @param until the moment up to which it is counted, in words
 * @param turns how often it was another end's turn to send: two are a round trip. What comes before
 *     frames, as TCP's and the connection manager's messages, is not counted
 * @param client what the end did that opened it
 * @param server what the other did
 */
public record Opening(Route route, String until, int turns, EndCounts client, EndCounts server) {}
