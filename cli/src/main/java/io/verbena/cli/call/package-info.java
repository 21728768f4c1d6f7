/**
 * {@code verbena call}: calls of a server by the contract that it tells. {@link
 * io.verbena.cli.call.CallCommand} is the command; {@link io.verbena.codec.json.JsonMethod} calls
 * with JSON. Contracts and replies come from a peer, and nothing in them is believed.
 */
@NullMarked
package io.verbena.cli.call;

import org.jspecify.annotations.NullMarked;
