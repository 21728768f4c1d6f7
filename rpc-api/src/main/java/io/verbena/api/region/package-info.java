/**
 * Memory that the other end of a session may read and write: exposed by its owner, for a time, with
 * the rights that are named.
 */
@NullMarked
package io.verbena.api.region;

import org.jspecify.annotations.NullMarked;
