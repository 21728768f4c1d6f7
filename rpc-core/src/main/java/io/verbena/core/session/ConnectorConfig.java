package io.verbena.core.session;

import io.verbena.api.Session;
import io.verbena.link.LinkOptions;
import java.net.URI;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How a client reaches its server.
 *
 * @param address where
 * @param link how links are opened
 * @param token gives the credentials, anew for each attempt, elsewhere than on the loop; null: none
 * @param keepsOpen whether it connects without a call to make, and again when the peer is gone
 * @param oneOfMany whether calls fail, rather than wait for the next server, where they cannot
 *     reach this one: there are others
 * @param whenEnded hears on the loop that the session has ended for good
 */
public record ConnectorConfig(
    URI address,
    LinkOptions link,
    @Nullable Supplier<String> token,
    boolean keepsOpen,
    boolean oneOfMany,
    Consumer<Session> whenEnded) {}
