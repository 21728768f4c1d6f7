/**
 * Calls over several servers: where they are (resolvers), which of them a call goes to (balancers),
 * and what becomes of a call that one of them did not answer (retries, hedges). Users start at
 * {@link io.verbena.channel.BalancedChannel}. Nothing here has a thread of its own but {@link
 * io.verbena.channel.ChannelTime#SYSTEM}; state is guarded by locks that are never held while
 * others' code runs.
 */
@NullMarked
package io.verbena.channel;

import org.jspecify.annotations.NullMarked;
