/**
 * The binary border: how the C structs of libibverbs and librdmacm lie in memory, all in one place.
 *
 * <p>Owns no memory and calls nothing; constants and pure functions for any thread. A test compares
 * every size and offset with the C headers, and {@code AbiCheck} compares a few with the libraries
 * that are really loaded.
 */
@NullMarked
package io.verbena.verbs.ffm.abi;

import org.jspecify.annotations.NullMarked;
