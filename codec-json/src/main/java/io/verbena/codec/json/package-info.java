/**
 * JSON to values of a contract that is known at run time alone, and back: {@link
 * io.verbena.codec.json.Shapes} takes a contract's types apart, {@link
 * io.verbena.codec.json.JsonMethod} calls a method of it. Contracts and replies may come from a
 * peer, and nothing in them is believed. Used by the shell and by the gateway for HTTP; safe for
 * any thread but where it says otherwise.
 */
@NullMarked
package io.verbena.codec.json;

import org.jspecify.annotations.NullMarked;
