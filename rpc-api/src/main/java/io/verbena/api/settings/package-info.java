/** Checks of settings, and safe output of texts from others. User code need not call it. */
@NullMarked
package io.verbena.api.settings;

import org.jspecify.annotations.NullMarked;
