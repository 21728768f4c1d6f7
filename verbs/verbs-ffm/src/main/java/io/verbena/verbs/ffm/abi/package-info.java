/**
 * The binary interface: the memory layouts of the C structs of libibverbs and librdmacm.
 *
 * <p>The package has constants and pure functions for any thread. It owns no memory and calls no
 * library. A test compares every size and offset with the C headers, and {@code AbiCheck} compares
 * a few with the loaded libraries.
 */
@NullMarked
package io.verbena.verbs.ffm.abi;

import org.jspecify.annotations.NullMarked;
