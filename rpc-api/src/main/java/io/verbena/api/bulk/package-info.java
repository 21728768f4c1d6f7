/**
 * Large objects: where their bytes come from, where they go, and how their transfer is watched. A
 * {@link io.verbena.api.bulk.Source} is sent, a {@link io.verbena.api.bulk.Landing} takes what is
 * sent, a session's {@link io.verbena.api.bulk.BulkObjects} joins the two. Values here are
 * immutable and safe for use by any thread; what a user supplies is called on the session's handler
 * threads.
 */
@NullMarked
package io.verbena.api.bulk;

import org.jspecify.annotations.NullMarked;
