package io.verbena.spark;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.URL;
import java.net.URLClassLoader;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What Spark starts in place of {@code java} for each executor, so that all executors of an
 * application live in one process and share a {@link SharedFabric}: the first one becomes that
 * process, and the others hand their arguments over, and end with it. Each executor has class
 * loaders of its own, as Spark has one environment a JVM.
 */
public final class ExecutorsOfOneProcess {
  private static final String EXECUTOR = "org.apache.spark.executor.CoarseGrainedExecutorBackend";

  /** Loaded once for all executors: verbs, their network, and what they are made of. */
  private static final List<String> SHARED =
      List.of("com.ibm.disni.", "io.verbena.verbs.", SharedFabric.class.getName());

  private ExecutorsOfOneProcess() {}

  /**
   * Makes a folder that can be given to executors as {@code JAVA_HOME}.
   *
   * @param flags of the process
   */
  static String javaHome(Path directory, String flags) throws IOException {
    Path home = directory.resolve("java-home");
    Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
    Files.writeString(
        java,
        "#!/bin/sh\nexec '%s/bin/java' %s -cp '%s' %s '%s' \"$@\"\n"
            .formatted(
                System.getProperty("java.home"),
                flags,
                System.getProperty("java.class.path"),
                ExecutorsOfOneProcess.class.getName(),
                directory));
    if (!java.toFile().setExecutable(true)) {
      throw new IOException("cannot make a program of " + java);
    }
    return home.toString();
  }

  /** Runs an executor. The arguments are a folder, then all that {@code java} would have got. */
  public static void main(String[] args) throws Exception {
    List<String> words = Arrays.asList(args);
    String application = words.get(words.indexOf("--app-id") + 1);
    UnixDomainSocketAddress meeting =
        UnixDomainSocketAddress.of(Path.of(args[0], application + ".socket"));
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      try {
        server.bind(meeting);
      } catch (BindException e) {
        handOver(meeting, words);
        return;
      }
      SharedFabric.start();
      start(words);
      while (true) {
        SocketChannel other = server.accept(); // is closed by the end of this process
        DataInputStream in = new DataInputStream(Channels.newInputStream(other));
        List<String> received = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
          received.add(in.readUTF());
        }
        start(received);
      }
    }
  }

  private static void handOver(UnixDomainSocketAddress meeting, List<String> words)
      throws IOException {
    try (SocketChannel host = connect(meeting)) {
      DataOutputStream out = new DataOutputStream(Channels.newOutputStream(host));
      out.writeInt(words.size());
      for (String word : words) {
        out.writeUTF(word);
      }
      int end = Channels.newInputStream(host).read();
      System.exit(end);
    }
  }

  /** The first executor may have bound the socket and not listen yet. */
  private static SocketChannel connect(UnixDomainSocketAddress meeting) throws IOException {
    for (int left = 1000; ; left--) {
      try {
        return SocketChannel.open(meeting);
      } catch (ConnectException e) {
        if (left == 0) {
          throw e;
        }
        Thread.onSpinWait();
      }
    }
  }

  private static void start(List<String> words) {
    int program = words.indexOf(EXECUTOR);
    for (String word : words.subList(1, program)) {
      if (word.startsWith("-D")) {
        String[] property = word.substring(2).split("=", 2);
        System.setProperty(property[0], property.length > 1 ? property[1] : "");
      }
    }
    String[] arguments = words.subList(program + 1, words.size()).toArray(String[]::new);
    ClassLoader loader = new ExecutorLoader();
    Thread thread =
        new Thread(
            () -> {
              try {
                loader
                    .loadClass(EXECUTOR)
                    .getMethod("main", String[].class)
                    .invoke(null, (Object) arguments);
              } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
              }
            });
    thread.setContextClassLoader(loader);
    thread.start();
  }

  /** Loads the class path anew, except for what is shared. */
  private static final class ExecutorLoader extends URLClassLoader {
    ExecutorLoader() {
      super(classPath(), ClassLoader.getPlatformClassLoader());
    }

    private static URL[] classPath() {
      List<URL> urls = new ArrayList<>();
      for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
        try {
          urls.add(Path.of(entry).toUri().toURL());
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
      return urls.toArray(URL[]::new);
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      return SHARED.stream().anyMatch(name::startsWith)
          ? ExecutorsOfOneProcess.class.getClassLoader().loadClass(name)
          : super.findClass(name);
    }
  }
}
