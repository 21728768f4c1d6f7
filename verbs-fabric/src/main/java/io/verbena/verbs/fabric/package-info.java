/**
 * A DiSNI provider that is a network of hosts in memory: behaves as the verbs specification says,
 * with every freedom that it leaves drawn from a seed, for tests and simulation.
 *
 * <p>It owns the hosts, their devices' objects, the messages on their way and the time. Tests and
 * simulations make a {@link io.verbena.verbs.fabric.Fabric} and hand its hosts, which are
 * providers, to the code under test. Programs work with real off-heap memory, by address, as on a
 * real device; a wrong address harms the JVM as it would there.
 *
 * <p>Everything is guarded by one lock per fabric. A stepped fabric does nothing by itself; a
 * threaded one has one daemon thread.
 *
 * <pre>
 * Requester --carries out--&gt; Responder --completion--&gt; FabricCq --event--&gt; FabricCompChannel
 *     ^  (pump, in order)       | keys, bounds, rights     (visible later, in batches)
 *     +------- ack -------------+
 * ConnectionManager: REQ, REP, RTU, REJ, DREQ, DREP between FabricCmIds --&gt; FabricEventChannel
 * </pre>
 */
@NullMarked
package io.verbena.verbs.fabric;

import org.jspecify.annotations.NullMarked;
