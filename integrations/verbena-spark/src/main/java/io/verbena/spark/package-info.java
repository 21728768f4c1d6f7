/**
 * Moves the shuffle blocks of Apache Spark over sessions. {@link io.verbena.spark.VerbenaPlugin}
 * starts a {@code ShuffleExchange} in each executor, which serves the executor's blocks and fetches
 * those of others. {@link io.verbena.spark.VerbenaShuffleManager} gives Spark readers that fetch
 * through it. Writers, block files, retries of stages and metrics are Spark's own. Blocks are
 * served on handlers' threads; a fetch is started by Spark's task, and its blocks are handed over
 * on a virtual thread.
 */
@NullMarked
package io.verbena.spark;

import org.jspecify.annotations.NullMarked;
