/**
 * Programs that measure Verbena beside what it stands on. Both are measured in one run, by turns,
 * so that what else the machine does hits both alike.
 */
@NullMarked
package io.verbena.bench;

import org.jspecify.annotations.NullMarked;
