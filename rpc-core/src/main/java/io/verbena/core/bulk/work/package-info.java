/**
 * Whose threads do what would hold up a loop, how long a transfer waits for what others have, and
 * why work cannot go on: as a status and words for this end and for the other. Any room of bulk
 * hands work over here from its loop, and goes on there.
 */
@NullMarked
package io.verbena.core.bulk.work;

import org.jspecify.annotations.NullMarked;
