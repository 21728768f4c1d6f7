/** The lock of a contract: what it has said on the wire, which later versions must keep to. */
@NullMarked
package io.verbena.codegen.lock;

import org.jspecify.annotations.NullMarked;
