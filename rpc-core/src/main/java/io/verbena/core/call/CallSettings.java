package io.verbena.core.call;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * What the calls of one client or server share.
 *
 * @param oneways counts the one-way calls that were not simply executed
 * @param streamsSent how many streams their sessions send
 * @param interceptors what they pass
 */
public record CallSettings(
    OnewayCounters oneways, AtomicInteger streamsSent, Interceptors interceptors) {}
