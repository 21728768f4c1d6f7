package io.verbena.core.session;

import io.verbena.core.PathPolicy;
import io.verbena.link.UpgradeProvider;
import java.util.List;

/**
 * Whether and how sessions upgrade.
 *
 * @param policy which path calls may take
 * @param allowPlaintextRdma whether a session under TLS may leave it; both ends must allow it
 * @param providers make the better links, in the order in which they are tried
 */
public record UpgradeOptions(
    PathPolicy policy, boolean allowPlaintextRdma, List<UpgradeProvider> providers) {}
