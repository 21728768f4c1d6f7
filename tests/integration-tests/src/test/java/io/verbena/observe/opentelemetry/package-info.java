/** Tests of traces and metrics, as exporters have them. */
@NullMarked
package io.verbena.observe.opentelemetry;

import org.jspecify.annotations.NullMarked;
