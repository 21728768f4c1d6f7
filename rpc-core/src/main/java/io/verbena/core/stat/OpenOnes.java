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
 * What is open in this process and can be asked by an MBean. The first one registers the bean, the
 * last one takes it away: a bean holds the class loader that it is of. Safe for use by any thread.
 *
 * @param <T> what is open
 */
public final class OpenOnes<T> {
  private static final Logger LOG = LoggerFactory.getLogger(OpenOnes.class);

  private final String name;
  private final Object bean;
  private final List<T> open = new CopyOnWriteArrayList<>();
  private boolean registered;

  /**
   * Nothing is open yet.
   *
   * @param name the bean's
   * @param bean is registered with the platform's MBean server while something is open
   */
  public OpenOnes(String name, Object bean) {
    this.name = name;
    this.bean = bean;
  }

  /** Adds one; returns how many are open now. */
  public synchronized int add(T one) {
    open.add(one);
    if (!registered) {
      registered = tried(true);
    }
    return open.size();
  }

  /** Takes one away; again does nothing. */
  public synchronized void remove(T one) {
    open.remove(one);
    if (registered && open.isEmpty()) {
      registered = false;
      tried(false);
    }
  }

  /** Returns those that are open, in the order in which they were added. */
  public List<T> all() {
    return open;
  }

  /** Returns whether there is anything by this bean to ask. */
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
    } catch (JMException | SecurityException e) {
      // Another class loader's Verbena has the name, or the process wants no management.
      LOG.debug("'verbena stat' does not see what {} tells: {}", name, Thrown.words(e));
      return false;
    }
  }
}
