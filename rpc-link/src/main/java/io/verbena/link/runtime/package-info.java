/**
 * Time, threads, and log lines that peers or user code cause. Such lines are limited and counted,
 * and cannot harm the code that writes them. Safe for use by any thread.
 */
@NullMarked
package io.verbena.link.runtime;

import org.jspecify.annotations.NullMarked;
