/**
 * The contract of blocking callers that step their event loop themselves, on every link. Each
 * module of links runs it.
 */
@NullMarked
package io.verbena.testkit.callers;

import org.jspecify.annotations.NullMarked;
