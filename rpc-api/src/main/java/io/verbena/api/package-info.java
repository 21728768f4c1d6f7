/** What a contract needs: annotations, statuses and errors, sessions as a caller sees them. */
@NullMarked
package io.verbena.api;

import org.jspecify.annotations.NullMarked;
