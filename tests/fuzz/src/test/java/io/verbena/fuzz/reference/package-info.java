/**
 * The wire's format once more, written from {@code docs/spec/wire.md} and nothing else: slow,
 * plain, and driven by a contract's schema. It shares no code with what it is compared with.
 */
@NullMarked
package io.verbena.fuzz.reference;

import org.jspecify.annotations.NullMarked;
