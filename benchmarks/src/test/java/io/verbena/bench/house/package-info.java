/** How the sources are built: how deep a call goes, through how many types, by which arrows. */
@NullMarked
package io.verbena.bench.house;

import org.jspecify.annotations.NullMarked;
