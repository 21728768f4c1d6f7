package io.verbena.core.stat;

import io.verbena.api.SessionState;
import io.verbena.core.bulk.stat.TransferStat;
import java.util.List;
import java.util.Map;

/**
 * One session, at the moment its event loop was asked.
 *
 * @param peer where the peer is
 * @param identity who the peer has proved to be; empty for anybody
 * @param state how it stands
 * @param path the link that carries calls now, and why
 * @param links every link there is
 * @param callsOut calls made here that have no answer yet, and one-way calls of which the peer has
 *     not said that they are done: the places that are taken in the window
 * @param callsIn calls of the peer's that run here
 * @param oneways one-way calls that were not simply executed
 * @param owedBytes bytes kept until the peer acknowledges them
 * @param pathChanges how often the path or its reason has changed
 * @param transfers large objects under way, both ways
 * @param link figures of the link that carries calls, by name, such as its credits
 * @param costs what the session has measured of the path that carries calls, and the lengths from
 *     which values go beside their message, and from where they are; also from which length on
 *     messages to this peer are compressed; what is not known, or is not done, is left out
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
