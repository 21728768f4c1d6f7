package io.verbena.core.session;

import io.verbena.core.PathPolicy;
import io.verbena.link.UpgradeProvider;
import org.jspecify.annotations.Nullable;

/**
 * Whether and how sessions upgrade.
 *
 * @param policy which path calls may take
 * @param allowPlaintextRdma whether a session under TLS may leave it; both ends must allow it
 * @param provider makes the better links; null where none is on the class path
 */
public record UpgradeOptions(
    PathPolicy policy, boolean allowPlaintextRdma, @Nullable UpgradeProvider provider) {}
