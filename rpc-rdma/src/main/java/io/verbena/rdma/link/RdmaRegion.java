package io.verbena.rdma.link;

import io.verbena.core.link.BulkRegion;
import io.verbena.rdma.device.Registration;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Memory that is registered for one link. */
final class RdmaRegion implements BulkRegion {
  private final RdmaBulk owner;
  private final MemorySegment memory;

  /** Null where there is no byte to register, and when it is released. */
  private @Nullable Registration registration;

  private boolean released;

  RdmaRegion(RdmaBulk owner, MemorySegment memory, @Nullable Registration registration) {
    this.owner = owner;
    this.memory = memory;
    this.registration = registration;
  }

  @Override
  public MemorySegment memory() {
    return memory;
  }

  @Override
  public void release() {
    if (!released) {
      released = true;
      Registration was = registration;
      registration = null;
      owner.released(was);
    }
  }

  RdmaBulk owner() {
    return owner;
  }

  Registration registration() {
    Registration current = registration;
    if (current == null) {
      throw new IllegalStateException("the region is released, or empty");
    }
    return current;
  }
}
