package io.verbena.core.stat;

import io.verbena.link.runtime.Thrown;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open objects in this process that an MBean reports. The first object registers the bean and
 * the last removes it, because a bean keeps its class loader alive. Safe for use by any thread.
 *
 * @param <T> the type of the objects
 */
public final class OpenOnes<T> {
  private static final Logger LOG = LoggerFactory.getLogger(OpenOnes.class);

  private final String name;
  private final Object bean;
  private final List<T> open = new CopyOnWriteArrayList<>();
  private boolean registered;

  /**
   * Starts without objects.
   *
   * @param bean registered with the platform's MBean server while an object is open
   */
  public OpenOnes(String name, Object bean) {
    this.name = name;
    this.bean = bean;
  }

  /** Adds an object. Returns the number of open objects. */
  public synchronized int add(T one) {
    open.add(one);
    if (!registered) {
      registered = tried(true);
    }
    return open.size();
  }

  /** Removes an object. A second call does nothing. */
  public synchronized void remove(T one) {
    open.remove(one);
    if (registered && open.isEmpty()) {
      registered = false;
      tried(false);
    }
  }

  /** Returns the open objects, in the order in which they were added. */
  public List<T> all() {
    return open;
  }

  synchronized boolean isRegistered() {
    return registered;
  }

  private boolean tried(boolean register) {
    try {
      MBeanServer server = ManagementFactory.getPlatformMBeanServer();
      if (register) {
        server.registerMBean(bean, new ObjectName(name));
      } else {
        server.unregisterMBean(new ObjectName(name));
      }
      return true;
    } catch (JMException | SecurityException | LinkageError e) {
      // Verbena in another class loader has the name, or management is disabled in the process, or
      // its library cannot be loaded for want of files.
      LOG.debug("'verbena stat' does not see what {} tells: {}", name, Thrown.words(e));
      return false;
    }
  }
}
