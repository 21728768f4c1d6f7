/** What the simulated programs call. */
@NullMarked
package io.verbena.simulation.contract;

import org.jspecify.annotations.NullMarked;
