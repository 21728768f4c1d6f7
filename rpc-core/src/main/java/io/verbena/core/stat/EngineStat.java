package io.verbena.core.stat;

import io.verbena.core.bulk.stat.BulkStats;
import io.verbena.core.bulk.stat.PublishedStat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The figures of one client or server.
 *
 * @param name client, or server with its address
 * @param slotsInUse message slots in use; 0 when nothing is in progress
 * @param maxSlots the largest number of message slots
 * @param bulk its transfers of large objects, and their memory
 * @param published the objects that its peers may fetch
 * @param upgrade figures of the better links by name, such as pinned bytes, registration cache,
 *     quarantine and refused connections. All clients and servers that share the provider are
 *     counted together
 * @param oneways one-way calls that were not simply executed, those of ended sessions included
 * @param limit of concurrent calls; null if there is none
 * @param compression of the messages that it sends; null if it compresses none
 * @param log the number of events that peers and user code caused, logged or not, by place, since
 *     the process began
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
