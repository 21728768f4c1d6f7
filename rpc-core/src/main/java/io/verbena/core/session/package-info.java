/**
 * Sessions: how they open, change links, notice a dead peer and end. Everything runs on the
 * session's event loop. From the top:
 *
 * <pre>
 *   Connector                     gives a session its links, on the client's side
 *   ServerHandshake ─→ Acceptors ─→ Acceptor   the same on the server's
 *   SessionImpl                   what both ends share; its parts tell it what happens:
 *     Ending                      how this end leaves: it drains, and closes
 *     Upgrade                     onto a better link, and back onto it
 *     SessionLinks ─→ SessionLink which links there are, and what leaves and comes by them
 *     PathCosts, SessionLife, SessionMemory
 *   Participant                   all that lies on a session
 * </pre>
 */
@NullMarked
package io.verbena.core.session;

import org.jspecify.annotations.NullMarked;
