/**
 * Regions: memory that one end of a session exposes to the other. {@link
 * io.verbena.core.region.ExposedRegions} is the owner's end, a participant of the session; {@link
 * io.verbena.core.region.SessionRegions} is what users hold, and asks the other end by calls of the
 * service {@code verbena.regions} ({@link io.verbena.core.region.RegionCalls}), which the owner's
 * loop serves, or has its own device do it by {@link io.verbena.core.region.OneSided}; {@link
 * io.verbena.core.region.VersionedReads} reads again what was written meanwhile. Its users' side is
 * safe for any thread.
 */
@NullMarked
package io.verbena.core.region;

import org.jspecify.annotations.NullMarked;
