package io.verbena.core.session;

import io.verbena.core.PathPolicy;
import io.verbena.link.UpgradeProvider;
import java.util.List;

/**
 * Options for upgrades of sessions.
 *
 * @param policy the paths that calls may take
 * @param allowPlaintextRdma whether a session with TLS may upgrade; both ends must allow it
 * @param providers the providers of better links, in the order in which they are tried
 */
public record UpgradeOptions(
    PathPolicy policy, boolean allowPlaintextRdma, List<UpgradeProvider> providers) {}
