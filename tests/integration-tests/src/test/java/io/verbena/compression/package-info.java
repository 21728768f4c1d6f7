/** Messages that LZ4 makes shorter: over every link, to every peer, and what hostile ones get. */
@NullMarked
package io.verbena.compression;

import org.jspecify.annotations.NullMarked;
