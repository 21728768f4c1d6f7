/**
 * One small program in the surroundings that users run theirs in: in each calls succeed, or an
 * error says why not.
 */
@NullMarked
package io.verbena.it.surroundings;

import org.jspecify.annotations.NullMarked;
