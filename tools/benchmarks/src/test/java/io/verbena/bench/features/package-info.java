/**
 * What each feature around calls costs a call, beside one without. Both ends of every way are
 * stepped by one thread.
 */
@NullMarked
package io.verbena.bench.features;

import org.jspecify.annotations.NullMarked;
