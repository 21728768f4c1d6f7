/**
 * How settings are checked where they are set, and words of others are shown. Users see its
 * messages and need not call it.
 */
@NullMarked
package io.verbena.api.settings;

import org.jspecify.annotations.NullMarked;
