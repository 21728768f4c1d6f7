package io.verbena.bench.usage;

/**
 * What a process holds at a moment.
 *
 * @param heapBytes live objects, after a collection
 * @param directBytes memory outside the heap that the JVM counts
 * @param residentBytes memory that it has in all, as the kernel counts
 * @param peakBytes the most of that since {@link ProcessMemory#forgetPeak}
 * @param files open descriptors
 * @param threads platform threads
 * @param sessions of its Verbena clients and servers
 * @param slots message slots in use
 * @param bulkBytes pooled memory for large objects in use, quarantined memory included
 * @param calls made to it, or by it, that have no answer yet
 * @param pinnedBytes memory that is registered with a verbs device
 */
public record Held(
    long heapBytes,
    long directBytes,
    long residentBytes,
    long peakBytes,
    long files,
    long threads,
    long sessions,
    long slots,
    long bulkBytes,
    long calls,
    long pinnedBytes) {}
