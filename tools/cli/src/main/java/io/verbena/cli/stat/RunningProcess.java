package io.verbena.cli.stat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
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
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
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
 * A JVM of this user that uses Verbena. The JDK's attach mechanism reaches it. The kernel allows
 * that to the same user alone.
 *
 * @param name the program that the JVM runs
 */
record RunningProcess(long pid, String name) {
  /**
   * The JVMs of this user.
   *
   * @param found the processes that use Verbena
   * @param silent the processes that did not answer, such as a stopped one, and may use Verbena
   */
  record Listing(List<RunningProcess> found, List<RunningProcess> silent) {}

  /** The clients and servers of a process, and its channels, if it has made any. */
  record Told(List<EngineStat> engines, List<ChannelStat> channels) {}

  /**
   * Lists the JVMs of this user.
   *
   * @param longest the longest wait for all answers together
   */
  static Listing all(Duration longest) throws InterruptedException {
    limitAttaching(longest);
    Map<RunningProcess, Answer<Optional<RunningProcess>>> asked = new LinkedHashMap<>();
    jvms()
        .forEach(
            (pid, name) ->
                asked.put(new RunningProcess(pid, name), new Answer<>(() -> usingVerbena(pid))));
    Listing listing = new Listing(new ArrayList<>(), new ArrayList<>());
    long end = System.nanoTime() + longest.toNanos();
    for (Map.Entry<RunningProcess, Answer<Optional<RunningProcess>>> one : asked.entrySet()) {
      try {
        one.getValue()
            .await(Duration.ofNanos(end - System.nanoTime()))
            .ifPresent(listing.found::add);
      } catch (TimeoutException | IOException e) {
        listing.silent.add(one.getKey());
      }
    }
    return listing;
  }

  /**
   * Returns the JVMs of this user, with their names as far as they are known. The JDK's list has
   * neither JVMs with -XX:-UsePerfData, nor those whose user has a number only, as in many
   * containers.
   */
  private static Map<Long, String> jvms() {
    Map<Long, String> jvms = new TreeMap<>();
    ProcessHandle.allProcesses()
        .map(ProcessHandle::pid)
        .filter(RunningProcess::mapsJvm)
        .forEach(pid -> jvms.put(pid, program(pid).orElse("")));
    VirtualMachine.list().forEach(one -> jvms.put(Long.valueOf(one.id()), one.displayName()));
    jvms.remove(ProcessHandle.current().pid());
    return jvms;
  }

  /**
   * Makes the JDK give up before the caller does. The JDK then removes the file that requests an
   * attachment from a JVM.
   */
  private static void limitAttaching(Duration longest) {
    System.setProperty("sun.tools.attach.attachTimeout", Long.toString(longest.toMillis() / 2));
  }

  private static Optional<RunningProcess> usingVerbena(long pid) throws IOException {
    try {
      VirtualMachine machine = VirtualMachine.attach(Long.toString(pid));
      try {
        Properties told = machine.getSystemProperties();
        return told.containsKey(Stats.MARK)
            ? Optional.of(new RunningProcess(pid, told.getProperty("sun.java.command", "")))
            : Optional.empty();
      } finally {
        machine.detach();
      }
    } catch (AttachNotSupportedException e) {
      throw new IOException("process " + pid + " did not answer", e);
    } catch (IOException e) {
      return Optional.empty(); // the process has ended
    }
  }

  /**
   * Requests the clients, servers and channels of a process. This starts a management agent in the
   * process, which listens on a local port.
   *
   * @throws IOException if the process cannot be reached, or does not answer in time
   */
  static Told ask(long pid, Duration longest) throws IOException, InterruptedException {
    requireJvm(pid);
    limitAttaching(longest);
    try {
      return new Answer<>(() -> ask(pid)).await(longest);
    } catch (TimeoutException e) {
      throw new IOException(
          "process %d did not answer within %d s; it is very busy, or stopped ('kill -CONT %d' continues it)"
              .formatted(pid, longest.toSeconds(), pid),
          e);
    }
  }

  /**
   * Refuses a process that may not be a JVM. Attaching sends SIGQUIT, which ends most other
   * programs.
   */
  private static void requireJvm(long pid) throws IOException {
    String id = Long.toString(pid);
    if (VirtualMachine.list().stream().anyMatch(one -> one.id().equals(id)) || mapsJvm(pid)) {
      return;
    }
    throw new IOException(
        "process %d%s is not a JVM of this user; 'verbena stat' lists the processes that use Verbena"
            .formatted(pid, program(pid).map(" (%s)"::formatted).orElse("")));
  }

  /**
   * Returns whether a process has mapped the library of a JVM. The list of the JDK does not contain
   * JVMs with -XX:-UsePerfData.
   */
  private static boolean mapsJvm(long pid) {
    try (Stream<String> maps = Files.lines(Path.of("/proc/" + pid + "/maps"), ISO_8859_1)) {
      return maps.anyMatch(line -> line.endsWith("/libjvm.so"));
    } catch (IOException | UncheckedIOException e) {
      return false; // the process has ended or is another user's, or the system has no such file
    }
  }

  /** Returns the program of a process, without the arguments, which may be secret. */
  private static Optional<String> program(long pid) {
    return ProcessHandle.of(pid)
        .flatMap(process -> process.info().command())
        .map(command -> Path.of(command).getFileName().toString());
  }

  private static Told ask(long pid) throws IOException {
    VirtualMachine machine;
    try {
      machine = VirtualMachine.attach(Long.toString(pid));
    } catch (AttachNotSupportedException | IOException e) {
      throw new IOException(
          "process %d cannot be reached (%s); it must be a JVM of the same user, in the same container, without -XX:+DisableAttachMechanism"
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
