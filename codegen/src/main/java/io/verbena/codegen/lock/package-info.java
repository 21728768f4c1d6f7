/**
 * The lock of a contract: its wire formats so far, with which later versions must be compatible.
 */
@NullMarked
package io.verbena.codegen.lock;

import org.jspecify.annotations.NullMarked;
