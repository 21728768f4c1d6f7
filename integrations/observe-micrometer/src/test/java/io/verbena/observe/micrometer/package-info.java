/** Tests of the metrics, as a registry has them. */
@NullMarked
package io.verbena.observe.micrometer;

import org.jspecify.annotations.NullMarked;
