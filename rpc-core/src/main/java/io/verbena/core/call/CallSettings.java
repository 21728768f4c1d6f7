package io.verbena.core.call;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What the calls of one client or server share.
 *
 * @param oneways counts the one-way calls that were not simply executed
 * @param streamsSent how many streams their sessions send
 * @param guards puts interceptors before handlers; null where there are none
 */
public record CallSettings(
    OnewayCounters oneways, AtomicInteger streamsSent, GuardedHandler.@Nullable Maker guards) {}
