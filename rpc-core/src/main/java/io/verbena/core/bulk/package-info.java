/**
 * Large objects: what both ends of a session do to move one, over whatever paths the session has
 * meanwhile. The receiving end opens memory and grants it, the sending end writes into what it was
 * granted, and only what the receiving end confirmed counts. {@link io.verbena.core.bulk.Transfers}
 * holds the transfers of one session, {@link io.verbena.core.bulk.CallTransfers} begins those of
 * its calls. Everything runs on its event loop, but what reads and writes files or sums and copies
 * memory, which the engine's {@link io.verbena.core.loop.Workers} do, and what calls users' code:
 * that runs on the users' executor, unless a push handler says that it is non-blocking.
 */
@NullMarked
package io.verbena.core.bulk;

import org.jspecify.annotations.NullMarked;
