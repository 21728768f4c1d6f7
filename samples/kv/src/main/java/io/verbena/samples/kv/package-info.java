/**
 * A small store of large values. A value travels beside the call that names its key: {@link
 * io.verbena.samples.kv.Store#get} has it written straight into the caller's memory, and {@link
 * io.verbena.samples.kv.Store#put} has the store fetch it from the caller's.
 */
@NullMarked
package io.verbena.samples.kv;

import org.jspecify.annotations.NullMarked;
