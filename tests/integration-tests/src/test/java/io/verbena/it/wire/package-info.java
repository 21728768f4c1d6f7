/**
 * The wire as its page specifies it: frames that must not change, and a client in another language.
 */
@NullMarked
package io.verbena.it.wire;

import org.jspecify.annotations.NullMarked;
