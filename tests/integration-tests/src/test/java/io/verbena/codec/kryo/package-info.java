/**
 * Kryo between two ends: what it keeps, what it refuses, and what a hostile peer gets out of it.
 */
@NullMarked
package io.verbena.codec.kryo;

import org.jspecify.annotations.NullMarked;
