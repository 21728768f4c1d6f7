/**
 * Regions: memory that its owner exposes to the other end of a session, for a time and with stated
 * rights.
 */
@NullMarked
package io.verbena.api.region;

import org.jspecify.annotations.NullMarked;
