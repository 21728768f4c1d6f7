/**
 * LZ4 blocks by lz4-java, in Java alone. {@code compressFromBytes(…)} of a client or server turns
 * it on. It runs on the threads that write and read messages.
 */
@NullMarked
package io.verbena.compression;

import org.jspecify.annotations.NullMarked;
