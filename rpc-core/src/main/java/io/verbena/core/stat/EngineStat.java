package io.verbena.core.stat;

import io.verbena.core.bulk.stat.BulkStats;
import io.verbena.core.bulk.stat.PublishedStat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One client or server.
 *
 * @param name what it is, and where a server listens
 * @param slotsInUse message slots in use: 0 when nothing is under way
 * @param maxSlots how many there may be
 * @param bulk its transfers of large objects, and their memory
 * @param published the objects that its peers may fetch
 * @param upgrade figures of the links that its sessions upgrade to, by name: pinned bytes,
 *     registration cache, quarantine, refused connections; of all clients and servers that share
 *     the provider together
 * @param oneways one-way calls that were not simply executed, of sessions that have ended too
 * @param limit of the calls that it runs at once; null where it has none
 * @param compression of the messages that it sends; null where it compresses none
 * @param log what peers and users' code had this process tell, or leave out, by place, since it
 *     began
 * @param sessions its sessions
 */
public record EngineStat(
    String name,
    int slotsInUse,
    int maxSlots,
    BulkStats bulk,
    List<PublishedStat> published,
    Map<String, Long> upgrade,
    OnewayStat oneways,
    @Nullable LimitStat limit,
    @Nullable CompressionStat compression,
    Map<String, Long> log,
    List<SessionStat> sessions) {}
