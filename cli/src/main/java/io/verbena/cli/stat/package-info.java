/** {@code verbena stat}: finds running processes that use Verbena, and shows what they hold. */
@NullMarked
package io.verbena.cli.stat;

import org.jspecify.annotations.NullMarked;
