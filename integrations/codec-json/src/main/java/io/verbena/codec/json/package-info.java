/**
 * Converts JSON to values of a contract that is known only at run time, and back. {@link
 * io.verbena.codec.json.Shapes} reads a contract's types, and {@link
 * io.verbena.codec.json.JsonMethod} calls a method of it. Contracts and replies may come from a
 * peer, so everything in them is checked. The shell and the HTTP gateway use this package. Its
 * classes are safe for any thread, unless they say otherwise.
 */
@NullMarked
package io.verbena.codec.json;

import org.jspecify.annotations.NullMarked;
