/**
 * What must hold whatever happens, and who notes what did. Called on whichever strand something
 * happens, one at a time.
 */
@NullMarked
package io.verbena.simulation.check;

import org.jspecify.annotations.NullMarked;
