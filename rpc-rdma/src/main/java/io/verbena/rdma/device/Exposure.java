package io.verbena.rdma.device;

import io.verbena.verbs.ext.MemoryWindow;
import org.jspecify.annotations.Nullable;

/**
 * How a range is opened to a peer: by a window over a registration, which a request on the queue
 * pair binds and another invalidates, or by a registration of its own.
 *
 * @param rkey what the peer needs
 * @param address where the range begins
 * @param length in bytes
 * @param registration covers it
 * @param own whether the registration was made for it and goes with it
 * @param window null where the registration itself is open to the peer
 */
public record Exposure(
    int rkey,
    long address,
    long length,
    Registration registration,
    boolean own,
    @Nullable MemoryWindow window) {}
