/**
 * Ways to misuse a server, each an {@link io.verbena.testkit.abuse.Abuse}, and the service that
 * they misuse. For tests and measurements of what others notice: an abuser may run in the process
 * of a test or in one of its own. What speaks by hand runs on one thread of its own; the rest are
 * ordinary clients that are badly behaved.
 */
@NullMarked
package io.verbena.testkit.abuse;

import org.jspecify.annotations.NullMarked;
