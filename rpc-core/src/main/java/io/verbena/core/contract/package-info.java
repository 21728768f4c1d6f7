/**
 * The services of both ends of a session, the places of their methods in calls, and the
 * compatibility of the two ends' contracts.
 */
@NullMarked
package io.verbena.core.contract;

import org.jspecify.annotations.NullMarked;
