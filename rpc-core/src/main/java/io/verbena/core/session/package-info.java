/**
 * Sessions: how they open, change links, notice a dead peer and end. A {@link
 * io.verbena.core.session.SessionImpl} holds what both ends share; a {@link
 * io.verbena.core.session.Connector} gives it links on the client's side, a {@link
 * io.verbena.core.session.Acceptor} on the server's. Everything runs on the session's event loop.
 */
@NullMarked
package io.verbena.core.session;

import org.jspecify.annotations.NullMarked;
