package io.verbena.core.upgrade;

import io.verbena.core.link.LinkDriver;
import io.verbena.core.link.LinkException;
import io.verbena.core.link.LinkOptions;
import io.verbena.core.link.UpgradeDriver;
import io.verbena.core.link.UpgradeProvider;
import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A driver that may break. An attempt that it throws at fails alone. One that throws when it is
 * polled or armed is closed with all its links, and the next attempt makes a new one. Whoever waits
 * for a link hears of its end, whatever the driver forgets. Called by the loop's thread only.
 */
final class GuardedDriver implements UpgradeDriver {
  private final UpgradeProvider provider;
  private final Runnable wakeLoop;
  private final Mishap mishap;
  private final Set<GuardedLink> links = new HashSet<>();
  private @Nullable UpgradeDriver driver;

  GuardedDriver(UpgradeProvider provider, Runnable wakeLoop, Mishap mishap) {
    this.provider = provider;
    this.wakeLoop = wakeLoop;
    this.mishap = mishap;
  }

  private UpgradeDriver made() throws LinkException {
    UpgradeDriver made = driver;
    if (made == null) {
      try {
        made = provider.newDriver(wakeLoop);
      } catch (Throwable thrown) {
        throw mishap.failure("its driver cannot be made", thrown);
      }
      driver = made;
    }
    return made;
  }

  @Override
  public int poll(long nowNanos) {
    UpgradeDriver polled = driver;
    if (polled == null) {
      return 0;
    }
    try {
      return polled.poll(nowNanos);
    } catch (Throwable thrown) {
      broke("its driver cannot be polled", thrown);
      return 1;
    }
  }

  @Override
  public boolean isInUse() {
    UpgradeDriver asked = driver;
    try {
      return asked != null && asked.isInUse();
    } catch (Throwable thrown) {
      broke("its driver does not tell whether it is in use", thrown);
      return false;
    }
  }

  @Override
  public boolean armWakeup(long nowNanos) {
    UpgradeDriver armed = driver;
    try {
      return armed == null || armed.armWakeup(nowNanos);
    } catch (Throwable thrown) {
      broke("its driver cannot be armed", thrown);
      return false; // what the links' ends have brought about is to be done first
    }
  }

  @Override
  public byte[] request(URI peer, LinkOptions options) throws LinkException {
    UpgradeDriver asked = made();
    try {
      return asked.request(peer, options);
    } catch (LinkException e) {
      throw e;
    } catch (Throwable thrown) {
      throw mishap.failure("it cannot be asked for", thrown);
    }
  }

  @Override
  public byte[] offer(
      byte[] request, URI local, LinkOptions options, LinkDriver.ConnectHandler handler)
      throws LinkException {
    UpgradeDriver asked = made();
    GuardedLink link = new GuardedLink(handler, links, mishap);
    try {
      return asked.offer(request, local, options, link);
    } catch (LinkException e) {
      link.giveUp();
      throw e;
    } catch (Throwable thrown) {
      link.giveUp();
      throw mishap.failure("it cannot be offered", thrown);
    }
  }

  @Override
  public void connect(byte[] offer, LinkOptions options, LinkDriver.ConnectHandler handler) {
    GuardedLink link = new GuardedLink(handler, links, mishap);
    try {
      made().connect(offer, options, link);
    } catch (LinkException e) {
      link.onFailed(e);
    } catch (Throwable thrown) {
      link.onFailed(mishap.failure("it cannot connect", thrown));
    }
  }

  private void broke(String what, Throwable thrown) {
    String why = mishap.tell(what, thrown);
    links.forEach(link -> link.endsBecause(why));
    end(why);
  }

  @Override
  public void close() {
    end("the driver was closed");
  }

  private void end(String why) {
    UpgradeDriver ending = driver;
    driver = null;
    if (ending == null) {
      return;
    }
    try {
      ending.close();
    } catch (Throwable thrown) {
      mishap.tell("its driver cannot be closed", thrown);
    }
    List.copyOf(links).forEach(link -> link.end(why));
  }
}
