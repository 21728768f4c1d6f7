/**
 * What a client or server tells of its transfers, as values. Made by the rooms that count; read by
 * any thread.
 */
@NullMarked
package io.verbena.core.bulk.stat;

import org.jspecify.annotations.NullMarked;
