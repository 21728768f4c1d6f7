package io.verbena.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** An nginx of Debian's package, with a configuration of a test's. */
final class Nginx implements AutoCloseable {
  private final Process process;
  private final Path directory;
  private final int port;

  private Nginx(Process process, Path directory, int port) {
    this.process = process;
    this.directory = directory;
    this.port = port;
  }

  /** Skips the test, and says so, where nginx is not installed. */
  static void assumeInstalled() {
    boolean installed = Files.isExecutable(Path.of("/usr/sbin/nginx"));
    if (!installed) {
      System.err.println("SKIPPED: nginx is not installed; 'apt-get install nginx-light' does it");
    }
    Assumptions.assumeTrue(installed, "nginx is not installed");
  }

  /**
   * Starts it.
   *
   * @param locations what stands in its server block
   */
  static Nginx start(String locations) throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("verbena-nginx-");
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    String configuration =
        """
        daemon off;
        worker_processes 1;
        pid %1$s/pid;
        error_log %1$s/error.log;
        events { worker_connections 64; }
        http {
          access_log off;
          client_body_temp_path %1$s/body;
          proxy_temp_path %1$s/proxy;
          fastcgi_temp_path %1$s/fastcgi;
          uwsgi_temp_path %1$s/uwsgi;
          scgi_temp_path %1$s/scgi;
          server {
            listen 127.0.0.1:%2$d;
            %3$s
          }
        }
        """
            .formatted(directory, port, locations);
    Path file = Files.writeString(directory.resolve("nginx.conf"), configuration);
    Process process =
        new ProcessBuilder(
                "/usr/sbin/nginx",
                "-e",
                directory + "/error.log",
                "-p",
                directory + "/",
                "-c",
                file + "")
            .inheritIO()
            .start();
    Nginx started = new Nginx(process, directory, port);
    started.awaitOpen();
    return started;
  }

  private void awaitOpen() throws IOException, InterruptedException {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (System.nanoTime() - until < 0 && process.isAlive()) {
      try (Socket _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
        return;
      } catch (IOException notYet) {
        process.waitFor(20, TimeUnit.MILLISECONDS);
      }
    }
    close();
    throw new IOException("nginx does not start: " + process.info());
  }

  int port() {
    return port;
  }

  @Override
  public void close() throws IOException {
    process.destroy();
    process.onExit().join();
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path one : List.copyOf(all.toList()).reversed()) {
        Files.deleteIfExists(one);
      }
    }
  }
}
