/**
 * Sessions: how they open, change links, notice a dead peer and end. Everything runs on the
 * session's event loop. From the top:
 *
 * <pre>
 *   Connector                     gives a session its links, on the client's side
 *   ServerHandshake ─→ Acceptors ─→ Acceptor   the same on the server's
 *   SessionImpl                   what both ends share: the other parts find one another by it
 *     Ending                      how this end leaves: it drains, and closes
 *     RailRequests                for links beside the better one
 *     Upgrade                     onto a better link, and back onto it
 *     PathCosts
 *     SessionLinks                which links there are, and what leaves and comes by them
 *       Rails, SessionLink
 *     SessionLife, SessionMemory
 *     Participants                all that lies on a session
 * </pre>
 *
 * <p>Each knows those below it. Three also know who is above: what becomes of the links, and how
 * this end leaves, are told to the session, and a link hands what comes by it to the others.
 */
@NullMarked
package io.verbena.core.session;

import org.jspecify.annotations.NullMarked;
