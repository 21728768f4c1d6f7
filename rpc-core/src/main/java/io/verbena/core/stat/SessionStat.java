package io.verbena.core.stat;

import io.verbena.api.SessionState;
import io.verbena.core.bulk.stat.TransferStat;
import java.util.List;
import java.util.Map;

/**
 * The figures of one session, at the moment when its event loop was asked.
 *
 * @param peer the address of the peer
 * @param identity the identity that the peer has proved; empty if it has proved none
 * @param state of the session
 * @param path the link that carries calls now, and the reason for it
 * @param links all links
 * @param callsOut used places in the window: calls of this end without an answer, and one-way calls
 *     that the peer has not reported as done
 * @param callsIn calls of the peer that run here
 * @param oneways one-way calls that were not simply executed
 * @param owedBytes bytes kept until the peer acknowledges them
 * @param pathChanges the number of changes of the path or its reason
 * @param transfers large objects in transfer, in both directions
 * @param link figures of the link that carries calls, by name, such as its credits
 * @param costs the measured costs of the path that carries calls, and the lengths from which values
 *     travel beside their message, are sent without a copy, and are compressed. Unknown and unused
 *     figures are left out
 */
public record SessionStat(
    String peer,
    String identity,
    SessionState state,
    String path,
    String links,
    int callsOut,
    int callsIn,
    OnewayStat oneways,
    long owedBytes,
    long pathChanges,
    List<TransferStat> transfers,
    Map<String, Long> link,
    Map<String, Long> costs) {}
