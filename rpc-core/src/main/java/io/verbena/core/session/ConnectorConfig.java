package io.verbena.core.session;

import io.verbena.api.Session;
import io.verbena.core.link.LinkOptions;
import java.net.URI;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * How a client reaches its server.
 *
 * @param address where
 * @param link how links are opened
 * @param token gives the credentials, anew for each attempt; empty for none
 * @param whenEnded hears on the loop that the session has ended for good
 */
public record ConnectorConfig(
    URI address, LinkOptions link, Supplier<String> token, Consumer<Session> whenEnded) {}
