/** {@code verbena calibrate}: what moving values costs here, and which way each length takes. */
@NullMarked
package io.verbena.cli.calibrate;

import org.jspecify.annotations.NullMarked;
