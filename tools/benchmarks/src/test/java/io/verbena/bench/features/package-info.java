/**
 * What each feature around calls costs a call, beside one without. Both ends of every way are
 * stepped by one thread. It is no option of {@code bench local}, because two processes and a link
 * add more than a feature costs.
 */
@NullMarked
package io.verbena.bench.features;

import org.jspecify.annotations.NullMarked;
