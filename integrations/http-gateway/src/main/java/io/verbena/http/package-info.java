/**
 * HTTP and JSON at the port of a server. {@link io.verbena.http.HttpGateway} is passed to the
 * server. {@link io.verbena.http.HttpConnection} runs one connection, on the event loop that
 * accepted it. {@link io.verbena.http.Exchange} answers one request, on a virtual thread, through a
 * session inside the server.
 */
@NullMarked
package io.verbena.http;

import org.jspecify.annotations.NullMarked;
