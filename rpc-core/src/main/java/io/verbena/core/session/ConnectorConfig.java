package io.verbena.core.session;

import io.verbena.core.link.LinkOptions;
import java.net.URI;
import java.util.function.Supplier;

/**
 * How a client reaches its server.
 *
 * @param address where
 * @param link how links are opened
 * @param token gives the credentials, anew for each attempt; empty for none
 */
public record ConnectorConfig(URI address, LinkOptions link, Supplier<String> token) {}
