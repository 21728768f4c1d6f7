package io.verbena.verbs.ext;

import com.ibm.disni.verbs.IbvContext;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * What {@link IbvContext} cannot say: an open device. Implemented by the provider's context class.
 *
 * <p>Safe for use by several threads. Queries fail with {@link VerbsException} ({@link
 * Errno#ENODEV} or {@link Errno#EIO}) once the device is gone, and {@link IbvContext#isOpen} is
 * false as soon as that is known. What stands on it can be destroyed all the same.
 */
public interface VerbsContext {
  /** The extension of a context; fails with {@link IllegalArgumentException} where it has none. */
  static VerbsContext of(IbvContext context) {
    return Extensions.of(context, VerbsContext.class);
  }

  VerbsProvider provider();

  /** The device's name, such as {@code rxe0}. */
  String deviceName();

  DeviceAttributes queryDevice() throws IOException;

  /**
   * The state and limits of a port.
   *
   * @param port from 1
   */
  PortAttributes queryPort(int port) throws IOException;

  /**
   * An entry of a port's GID table, perhaps empty.
   *
   * @param port from 1
   * @param index from 0 to {@link PortAttributes#gidTableLength()} - 1
   */
  GidEntry queryGid(int port, int index) throws IOException;

  /**
   * The version of RoCE by which the connection manager connects from a port: what the host's
   * {@code default_roce_mode} says, else version 2 where the port has it. {@link GidEntry.Type#IB}
   * where the port is no RoCE.
   *
   * @param port from 1
   */
  GidEntry.Type connectsBy(int port) throws IOException;

  /**
   * Takes the next asynchronous event of the device, already acknowledged; null when none came in
   * time. A device is shared by everything on it, so one thread should take its events for all.
   *
   * @param timeoutNanos how long to wait, 0 for not at all; must not be negative
   */
  @Nullable AsyncEvent nextAsyncEvent(long timeoutNanos) throws IOException;
}
