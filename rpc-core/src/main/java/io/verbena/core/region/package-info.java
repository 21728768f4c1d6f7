/**
 * Regions: memory that one end of a session exposes to the other. {@link
 * io.verbena.core.region.ExposedRegions} is the owner's end, a participant of the session. {@link
 * io.verbena.core.region.SessionRegions} is the users' end. Its requests are calls of the service
 * {@code verbena.regions} by {@link io.verbena.core.region.RegionCalls}, which the owner's loop
 * serves. With {@link io.verbena.core.region.OneSided} this end's device does the work instead.
 * {@link io.verbena.core.region.VersionedReads} repeats reads that met a concurrent write. The
 * users' end is safe for use by any thread.
 */
@NullMarked
package io.verbena.core.region;

import org.jspecify.annotations.NullMarked;
