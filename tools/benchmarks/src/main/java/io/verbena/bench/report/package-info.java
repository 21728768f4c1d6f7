/** The results of measurements, as tables, JSON, logs and a page with plots. */
@NullMarked
package io.verbena.bench.report;

import org.jspecify.annotations.NullMarked;
