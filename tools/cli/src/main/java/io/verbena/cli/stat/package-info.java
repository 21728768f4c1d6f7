/** The command {@code verbena stat}, which finds running processes that use Verbena. */
@NullMarked
package io.verbena.cli.stat;

import org.jspecify.annotations.NullMarked;
