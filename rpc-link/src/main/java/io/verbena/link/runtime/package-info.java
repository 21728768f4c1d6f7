/**
 * What is written to the log at somebody else's bidding: bounded, counted, and never the end of
 * whoever writes it. Safe for use by any thread.
 */
@NullMarked
package io.verbena.link.runtime;

import org.jspecify.annotations.NullMarked;
