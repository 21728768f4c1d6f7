/** The contracts of the simulated programs. */
@NullMarked
package io.verbena.simulation.contract;

import org.jspecify.annotations.NullMarked;
