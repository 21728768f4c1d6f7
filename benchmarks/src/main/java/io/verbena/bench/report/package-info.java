/** What has been measured, and how it is shown: tables, JSON, logs, a page with plots. */
@NullMarked
package io.verbena.bench.report;

import org.jspecify.annotations.NullMarked;
