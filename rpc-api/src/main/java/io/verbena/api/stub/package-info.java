/** The interface between generated code and the core. User code need not call it. */
@NullMarked
package io.verbena.api.stub;

import org.jspecify.annotations.NullMarked;
