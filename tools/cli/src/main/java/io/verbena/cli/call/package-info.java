/**
 * The command {@code verbena call}, which calls a server by the contract that the server sends.
 * {@link io.verbena.cli.call.CallCommand} is the command; {@link io.verbena.codec.json.JsonMethod}
 * makes the calls with JSON. Contracts and replies come from a peer, so they are checked.
 */
@NullMarked
package io.verbena.cli.call;

import org.jspecify.annotations.NullMarked;
