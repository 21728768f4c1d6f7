/**
 * Calls over several servers. Resolvers find the servers, balancers choose one for each call, and
 * retries and hedges follow calls that a server did not answer. Users start at {@link
 * io.verbena.channel.BalancedChannel}. The package has no thread of its own but {@link
 * io.verbena.channel.ChannelTime#SYSTEM}. Locks guard its state; no lock is held while users' code
 * runs.
 */
@NullMarked
package io.verbena.channel;

import org.jspecify.annotations.NullMarked;
