/**
 * Sessions. They open, change links, detect a dead peer and end here. Everything runs on the
 * session's event loop. The classes from the top:
 *
 * <pre>
 *   Connector                     gives a session its links, on the client's side
 *   Acceptors ─→ SessionAcceptor         the same on the server's
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
 * <p>Each class knows those below it. Three also know a class above. Links and the end of the
 * session report to the session, and a link passes arriving frames to the others.
 */
@NullMarked
package io.verbena.core.session;

import org.jspecify.annotations.NullMarked;
