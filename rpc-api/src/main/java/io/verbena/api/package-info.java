/** The types that a contract needs, and its callers: annotations, statuses, errors and sessions. */
@NullMarked
package io.verbena.api;

import org.jspecify.annotations.NullMarked;
