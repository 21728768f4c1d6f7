/**
 * The pods of a Kubernetes service. Channels find them by targets such as {@code
 * kubernetes:///shop/store:rpc}, from the service's EndpointSlices, with fabric8's client. A
 * resolver runs its tasks on a virtual thread of its own, one after the other, and on the client's
 * threads. It never waits on its caller's thread.
 */
@NullMarked
package io.verbena.channel.kubernetes;

import org.jspecify.annotations.NullMarked;
