package io.verbena.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.api.Session;
import io.verbena.core.VerbenaClient;
import io.verbena.core.VerbenaServer;
import io.verbena.testkit.JavaProcess;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server on the host and a client in namespaces of its own, as containers have them: they share
 * memory, or the path says what parts them. It needs root.
 */
@Tag("long")
@Timeout(120)
class NamespacesTest {
  private static final String SHARED = "shm (2.0 MiB in /dev/shm)";
  private static final String HOST = "10.231.77.1";
  private static final String CLIENT = "10.231.77.2";

  /** The class path, where any user can read it. */
  private static String classPath = "";

  @BeforeAll
  static void copyClassPath(@TempDir Path directory) throws Exception {
    requireRoot();
    List<String> copies = new ArrayList<>();
    for (String one : JavaProcess.classPath().split(File.pathSeparator, 0)) {
      String copy = directory.resolve(copies.size() + "-" + Path.of(one).getFileName()).toString();
      run("cp", "-R", one, copy);
      copies.add(copy);
    }
    run("chmod", "-R", "go+rX", directory.toString());
    classPath = String.join(File.pathSeparator, copies);
  }

  private static void requireRoot() {
    assumeTrue("root".equals(System.getProperty("user.name")), "namespaces need root");
    for (String tool : List.of("/usr/bin/unshare", "/usr/bin/setpriv", "/usr/sbin/ip")) {
      assumeTrue(Files.isExecutable(Path.of(tool)), tool);
    }
  }

  // ---- those that leave /dev/shm and the user's number alone ----

  @Test
  void anIpcNamespaceDoesNotMatter() throws Exception {
    assertThat(path("unshare", "--ipc")).startsWith(SHARED);
  }

  @Test
  void aPidNamespaceDoesNotMatter() throws Exception {
    assertThat(path("unshare", "--pid", "--fork", "--kill-child")).startsWith(SHARED);
  }

  @Test
  void aMountNamespaceAloneDoesNotMatter() throws Exception {
    assertThat(path("unshare", "--mount")).startsWith(SHARED);
  }

  @Test
  void aUserNamespaceWithTheSameUserDoesNotMatter() throws Exception {
    assertThat(path("unshare", "--user", "--map-root-user")).startsWith(SHARED);
    assertThat(path("unshare", "--user")).startsWith(SHARED); // is shown as nobody, and is root
  }

  @Test
  void allButTheNetworkTogetherDoNotMatter() throws Exception {
    assertThat(
            path(
                "unshare",
                "--ipc",
                "--pid",
                "--fork",
                "--kill-child",
                "--mount",
                "--uts",
                "--cgroup",
                "--user",
                "--map-root-user"))
        .startsWith(SHARED);
  }

  // ---- those that part them ----

  @Test
  void aMountOfItsOwnIsNamed() throws Exception {
    assertThat(inMount("mount -t tmpfs tmpfs /dev/shm"))
        .startsWith("tcp (")
        .containsPattern("there is no /dev/shm/verbena-\\w+ here")
        .contains("a container with its own /dev/shm");
  }

  @Test
  void aMountThatIsReadOnlyIsNamed() throws Exception {
    assertThat(inMount("mount -o remount,bind,ro /dev/shm"))
        .startsWith("tcp (")
        .contains("/dev/shm is not a directory that this process may write to");
  }

  @Test
  void anotherUserIsNamed() throws Exception {
    assertThat(path("setpriv", "--reuid=65534", "--clear-groups"))
        .startsWith("tcp (")
        .contains("it belongs to user 0, with mode 700, and this process is user 65534");
  }

  @Test
  void aUserNamespaceOfAnotherUserIsNamed() throws Exception {
    assertThat(
            path(
                "setpriv",
                "--reuid=65534",
                "--regid=65534",
                "--clear-groups",
                "unshare",
                "--user",
                "--map-root-user"))
        .startsWith("tcp (")
        .contains("it belongs to user 65534, with mode 700, and this process is user 0")
        .contains("a user namespace of its own numbers users anew");
  }

  @Test
  void aUserNamespaceThatKnowsNeitherUserIsNamed() throws Exception {
    assertThat(
            path(
                "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "unshare", "--user"))
        .startsWith("tcp (")
        .contains("this process may not enter /dev/shm/verbena-")
        .contains("the owner is another user");
  }

  @Test
  void aNetworkOfItsOwnIsNamed() throws Exception {
    Process holder = new ProcessBuilder("unshare", "--net", "sleep", "300").start();
    try {
      String pid = String.valueOf(holder.pid());
      awaitNetworkOf(pid);
      run(
          "ip",
          "link",
          "add",
          "verbena-t0",
          "type",
          "veth",
          "peer",
          "name",
          "verbena-t1",
          "netns",
          pid);
      run("ip", "address", "add", HOST + "/30", "dev", "verbena-t0");
      run("ip", "link", "set", "verbena-t0", "up");
      run(
          "nsenter",
          "--net",
          "-t",
          pid,
          "ip",
          "address",
          "add",
          CLIENT + "/30",
          "dev",
          "verbena-t1");
      run("nsenter", "--net", "-t", pid, "ip", "link", "set", "verbena-t1", "up");
      assertThat(path(HOST, List.of("nsenter", "--net", "-t", pid)))
          .startsWith("tcp (")
          .contains("no interface here has the peer's address " + HOST)
          .contains("on another host, or in a container with a network of its own");
    } finally {
      holder.destroyForcibly().waitFor(); // the interfaces go with it
    }
  }

  private static void awaitNetworkOf(String pid) throws Exception {
    Path own = Files.readSymbolicLink(Path.of("/proc/self/ns/net"));
    while (Files.readSymbolicLink(Path.of("/proc/" + pid + "/ns/net")).equals(own)) {
      Thread.onSpinWait();
    }
  }

  private static void run(String... command) throws Exception {
    int status = new ProcessBuilder(command).inheritIO().start().waitFor();
    assertThat(status).as(String.join(" ", command)).isZero();
  }

  private static String inMount(String mount) throws Exception {
    return path("unshare", "--mount", "sh", "-c", mount + " && exec \"$@\"", "sh");
  }

  /** Returns the path of a session from a client that these words start to a server here. */
  private static String path(String... starts) throws Exception {
    return path("127.0.0.1", List.of(starts));
  }

  private static String path(String host, List<String> starts) throws Exception {
    try (VerbenaServer server =
        VerbenaServer.builder()
            .serve(LibraryRpc.bind(new Library.Open()))
            .listen(host + ":0")
            .start()) {
      JavaProcess.Builder client =
          JavaProcess.of(ClientProcess.class, server.address().toString())
              .classPath(classPath)
              .under(starts);
      try (JavaProcess running = client.start()) {
        return running.lineAfter(ClientProcess.PATH);
      }
    }
  }

  /** Prints its session's path, once it is known. */
  static final class ClientProcess {
    static final String PATH = "path ";

    private ClientProcess() {}

    public static void main(String[] arguments) {
      try (VerbenaClient client = VerbenaClient.builder().build();
          Session session = client.connect(arguments[0])) {
        String path = session.path().toString();
        while (path.contains("not upgraded yet")) {
          Thread.onSpinWait();
          path = session.path().toString();
        }
        System.out.println(PATH + path);
      }
    }
  }
}
