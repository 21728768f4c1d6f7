/**
 * {@code verbena call}: calls of a server by the contract that it tells. {@link
 * io.verbena.cli.call.CallCommand} is the command; {@link io.verbena.cli.call.Shapes} takes a
 * contract's types apart, {@link io.verbena.cli.call.JsonToWire} and {@link
 * io.verbena.cli.call.WireToJson} go between JSON and the wire by them. Contracts and replies come
 * from a peer, and nothing in them is believed.
 */
@NullMarked
package io.verbena.cli.call;

import org.jspecify.annotations.NullMarked;
