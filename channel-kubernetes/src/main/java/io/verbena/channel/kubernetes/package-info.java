/**
 * The pods of a Kubernetes service: channels find them by targets such as {@code
 * kubernetes:///shop/store:rpc}, from the service's EndpointSlices, by fabric8's client. What a
 * resolver does, it does on a virtual thread of its own, one thing after the other, and on the
 * client's; it never waits on its caller's.
 */
@NullMarked
package io.verbena.channel.kubernetes;

import org.jspecify.annotations.NullMarked;
