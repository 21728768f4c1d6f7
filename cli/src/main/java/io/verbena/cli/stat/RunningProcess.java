package io.verbena.cli.stat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import com.sun.tools.attach.VirtualMachineDescriptor;
import io.verbena.channel.ChannelStat;
import io.verbena.channel.ChannelsMXBean;
import io.verbena.core.stat.EngineStat;
import io.verbena.core.stat.Stats;
import io.verbena.core.stat.VerbenaMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import javax.management.InstanceNotFoundException;
import javax.management.JMX;
import javax.management.MBeanServerConnection;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * A JVM of this user that uses Verbena. It is reached by the JDK's attach mechanism, which the
 * kernel opens to the same user alone.
 *
 * @param name what it runs
 */
record RunningProcess(long pid, String name) {
  /**
   * What a look around came to.
   *
   * @param found those that use Verbena
   * @param silent those that did not answer, such as one that is stopped: they may use it or not
   */
  record Listing(List<RunningProcess> found, List<RunningProcess> silent) {}

  /** What a process tells; no channels where it has made none. */
  record Told(List<EngineStat> engines, List<ChannelStat> channels) {}

  /** Returns all that can be reached. They are asked at the same time, and for so long at most. */
  static Listing all(Duration longest) throws InterruptedException {
    limitAttaching(longest);
    Map<RunningProcess, Answer<Boolean>> asked = new LinkedHashMap<>();
    for (VirtualMachineDescriptor one : VirtualMachine.list()) {
      long pid = Long.parseLong(one.id());
      if (pid != ProcessHandle.current().pid()) {
        asked.put(new RunningProcess(pid, one.displayName()), new Answer<>(() -> usesVerbena(one)));
      }
    }
    Listing listing = new Listing(new ArrayList<>(), new ArrayList<>());
    long end = System.nanoTime() + longest.toNanos();
    for (Map.Entry<RunningProcess, Answer<Boolean>> one : asked.entrySet()) {
      try {
        if (one.getValue().await(Duration.ofNanos(end - System.nanoTime()))) {
          listing.found.add(one.getKey());
        }
      } catch (TimeoutException | IOException e) {
        listing.silent.add(one.getKey());
      }
    }
    return listing;
  }

  /**
   * Has the JDK give up earlier than the one who waits: it then takes away the file by which it
   * asks a JVM to be attached to.
   */
  private static void limitAttaching(Duration longest) {
    System.setProperty("sun.tools.attach.attachTimeout", Long.toString(longest.toMillis() / 2));
  }

  private static boolean usesVerbena(VirtualMachineDescriptor one) throws IOException {
    try {
      VirtualMachine machine = VirtualMachine.attach(one);
      try {
        return machine.getSystemProperties().containsKey(Stats.MARK);
      } finally {
        machine.detach();
      }
    } catch (AttachNotSupportedException e) {
      throw new IOException("process " + one.id() + " did not answer", e);
    } catch (IOException e) {
      return false; // it has ended meanwhile
    }
  }

  /**
   * Asks a process for its clients, servers and channels. From then on it has a management agent,
   * which listens on a local port.
   *
   * @throws IOException if it cannot be asked, or does not answer in time; the message says why
   */
  static Told ask(long pid, Duration longest) throws IOException, InterruptedException {
    requireJvm(pid);
    limitAttaching(longest);
    try {
      return new Answer<>(() -> ask(pid)).await(longest);
    } catch (TimeoutException e) {
      throw new IOException(
          "process %d did not answer within %d s: it is very busy, or stopped ('kill -CONT %d' continues it)"
              .formatted(pid, longest.toSeconds(), pid),
          e);
    }
  }

  /**
   * Refuses to attach to what is not known to be a JVM: attaching sends SIGQUIT, which ends most
   * other programs.
   */
  private static void requireJvm(long pid) throws IOException {
    String id = Long.toString(pid);
    if (VirtualMachine.list().stream().anyMatch(one -> one.id().equals(id)) || mapsJvm(pid)) {
      return;
    }
    throw new IOException(
        "process %d%s is no JVM of yours: 'verbena stat' lists those that use Verbena"
            .formatted(pid, program(pid)));
  }

  /**
   * Returns whether a process has a JVM's library: one started with -XX:-UsePerfData is in no list.
   */
  private static boolean mapsJvm(long pid) {
    try (Stream<String> maps = Files.lines(Path.of("/proc/" + pid + "/maps"), ISO_8859_1)) {
      return maps.anyMatch(line -> line.endsWith("/libjvm.so"));
    } catch (IOException | UncheckedIOException e) {
      return false; // it has ended, is another user's, or the system has no such file
    }
  }

  /** Returns the name of a process's program, without its arguments, which may be secret. */
  private static String program(long pid) {
    return ProcessHandle.of(pid)
        .flatMap(process -> process.info().command())
        .map(command -> " (" + Path.of(command).getFileName() + ")")
        .orElse("");
  }

  private static Told ask(long pid) throws IOException {
    VirtualMachine machine;
    try {
      machine = VirtualMachine.attach(Long.toString(pid));
    } catch (AttachNotSupportedException | IOException e) {
      throw new IOException(
          "process %d cannot be asked (%s): it must be a JVM of the same user, in the same container"
              .formatted(pid, e.getMessage()),
          e);
    }
    try {
      if (!machine.getSystemProperties().containsKey(Stats.MARK)) {
        throw new IOException("process " + pid + " has made no Verbena client or server");
      }
      return told(machine.startLocalManagementAgent());
    } finally {
      machine.detach();
    }
  }

  // The address comes from a JVM of the same user, over a channel that the kernel guards.
  @SuppressWarnings("BanJNDI")
  private static Told told(String address) throws IOException {
    try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(address))) {
      MBeanServerConnection server = connector.getMBeanServerConnection();
      ObjectName name = new ObjectName(VerbenaMXBean.NAME);
      server.getObjectInstance(name);
      List<EngineStat> engines = JMX.newMXBeanProxy(server, name, VerbenaMXBean.class).getEngines();
      ObjectName channels = new ObjectName(ChannelsMXBean.NAME);
      return server.isRegistered(channels)
          ? new Told(
              engines, JMX.newMXBeanProxy(server, channels, ChannelsMXBean.class).getChannels())
          : new Told(engines, List.of());
    } catch (InstanceNotFoundException | MalformedObjectNameException e) {
      throw new IOException("the process has no " + VerbenaMXBean.NAME, e);
    }
  }
}
