/**
 * A DiSNI provider that is a network of hosts in memory, for tests and simulations. It behaves as
 * the verbs specification says. A seed decides everything that the specification leaves open.
 *
 * <p>The package owns the hosts, the objects of their devices, the messages in flight and the time.
 * Tests and simulations make a {@link io.verbena.verbs.fabric.Fabric}, and pass its hosts, which
 * are providers, to the code under test. Programs use real off-heap memory by address, as on a real
 * device. A wrong address can crash the JVM, as it would there.
 *
 * <p>One lock guards all objects of a fabric. A stepped fabric has no thread; a threaded one has
 * one daemon thread.
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
