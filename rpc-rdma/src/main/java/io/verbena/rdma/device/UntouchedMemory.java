package io.verbena.rdma.device;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Maps memory with untouched pages. The JDK clears what it allocates, which touches the pages, so
 * this class calls the C library.
 *
 * <p>Fails with a {@link RuntimeException} if native access is denied.
 */
final class UntouchedMemory {
  private static final long ANYWHERE = 0;
  private static final int READ_AND_WRITE = 0x3;
  private static final int PRIVATE_AND_ANONYMOUS = 0x22;
  private static final int NO_FILE = -1;
  private static final long FAILED = -1;

  private final MethodHandle mmap =
      function(
          "mmap",
          FunctionDescriptor.of(
              JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
  private final MethodHandle munmap =
      function("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));

  private static MethodHandle function(String name, FunctionDescriptor shape) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), shape);
  }

  /** Returns a new mapping, which ends with the arena. */
  MemorySegment map(Arena arena, long bytes) throws IOException {
    long address;
    try {
      address =
          (long)
              mmap.invokeExact(ANYWHERE, bytes, READ_AND_WRITE, PRIVATE_AND_ANONYMOUS, NO_FILE, 0L);
    } catch (Throwable e) { // invokeExact's signature
      throw new IllegalStateException(e);
    }
    if (address == FAILED) {
      throw new IOException(bytes + " bytes cannot be mapped");
    }
    return MemorySegment.ofAddress(address).reinterpret(bytes, arena, this::unmap);
  }

  private void unmap(MemorySegment mapped) {
    try {
      int status = (int) munmap.invokeExact(mapped.address(), mapped.byteSize());
      assert status == 0 : "what was mapped can be unmapped";
    } catch (Throwable e) { // invokeExact's signature
      throw new IllegalStateException(e);
    }
  }
}
