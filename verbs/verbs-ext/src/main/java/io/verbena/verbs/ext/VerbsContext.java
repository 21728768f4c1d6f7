package io.verbena.verbs.ext;

import com.ibm.disni.verbs.IbvContext;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Extends {@link IbvContext}, an open device. Implemented by the provider's context class.
 *
 * <p>Safe for use by several threads. Queries fail with {@link VerbsException} ({@link
 * Errno#ENODEV} or {@link Errno#EIO}) once the device is gone, and {@link IbvContext#isOpen} is
 * false as soon as that is known. The objects of the device can still be destroyed then.
 */
public interface VerbsContext {
  /** Returns the extension of a context. Throws {@link IllegalArgumentException} if it has none. */
  static VerbsContext of(IbvContext context) {
    return Extensions.of(context, VerbsContext.class);
  }

  VerbsProvider provider();

  /** Returns the device's name, such as {@code rxe0}. */
  String deviceName();

  /**
   * Returns the name of the kernel's driver, such as {@code mlx5_core} or {@code rdma_rxe}; empty
   * if it is unknown.
   */
  default String driver() {
    return "";
  }

  DeviceAttributes queryDevice() throws IOException;

  /**
   * Returns the state and limits of a port.
   *
   * @param port from 1
   */
  PortAttributes queryPort(int port) throws IOException;

  /**
   * Returns an entry of a port's GID table, which may be empty.
   *
   * @param port from 1
   * @param index from 0 to {@link PortAttributes#gidTableLength()} - 1
   */
  GidEntry queryGid(int port, int index) throws IOException;

  /**
   * Returns the RoCE version with which the connection manager connects from a port: the host's
   * {@code default_roce_mode}, or else version 2 if the port has it. {@link GidEntry.Type#IB} if
   * the port is not RoCE.
   *
   * @param port from 1
   */
  GidEntry.Type connectsBy(int port) throws IOException;

  /**
   * Takes the next asynchronous event of the device, which is acknowledged already; null if there
   * is none in time. All users of a device share its events, so one thread should take them for
   * all.
   *
   * @param timeoutNanos the longest wait, 0 for none; must not be negative
   */
  @Nullable AsyncEvent nextAsyncEvent(long timeoutNanos) throws IOException;
}
