package io.verbena.samples.kv;

import io.verbena.api.Session;
import io.verbena.api.region.RegionRef;
import io.verbena.api.region.RegionView;
import io.verbena.core.VerbenaClient;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * GET by a read of the bucket, GET by a call, Redis and Memcached, by turns in one run: each has a
 * server process here and one connection, and is asked for so many values of 64 bytes at a time.
 *
 * <pre>
 *   java -cp 'samples/tests/target/test-classes:samples/kv/target/*:samples/kv/target/lib/*'
 *       io.verbena.samples.kv.TableRace [ROUNDS [SECONDS]]
 * </pre>
 */
final class TableRace {
  private static final int KEYS = 10_000;
  private static final int VALUE_BYTES = 64;
  private static final int[] AT_A_TIME = {1, 16, 256};

  private final List<Process> servers = new ArrayList<>();

  private TableRace() {}

  /** Gets some values, and returns when all are here. */
  private interface Contestant {
    void get(int first, int count) throws Exception;
  }

  private record Named(String name, Contestant contestant) {}

  private static String key(int number) {
    return "key-" + number % KEYS;
  }

  private static byte[] value(int number) {
    byte[] value = new byte[VALUE_BYTES];
    Arrays.fill(value, (byte) ('a' + number % 26));
    return value;
  }

  /** A server's process; returns its port. */
  private int start(List<String> command, String portOption) throws IOException {
    int port;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    List<String> all = new ArrayList<>(command);
    if (!portOption.isEmpty()) {
      all.add(portOption);
    }
    all.add(String.valueOf(port));
    servers.add(
        new ProcessBuilder(all)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start());
    return port;
  }

  // ---- Verbena ----

  private static List<Named> verbena(Session session) {
    Table table = TableRpc.client(session);
    for (int i = 0; i < KEYS; i++) {
      table.put(key(i), value(i));
    }
    RegionRef ref = table.open();
    RegionView buckets = RegionView.of(session.regions(), ref, 0, Bucket.LAYOUT);
    TableRpc.Async calls = TableRpc.async(session);
    return List.of(
        new Named(
            "verbena, bucket read, " + session.path().link(),
            (first, count) -> {
              CompletableFuture<?>[] all = new CompletableFuture<?>[count];
              for (int i = 0; i < count; i++) {
                long place = Bucket.place(key(first + i), ref.length());
                all[i] = buckets.at(place).getVersioned(Bucket.VERSION).thenApply(Bucket::in);
              }
              CompletableFuture.allOf(all).get();
            }),
        new Named(
            "verbena, call, " + session.path().link(),
            (first, count) -> {
              CompletableFuture<?>[] all = new CompletableFuture<?>[count];
              for (int i = 0; i < count; i++) {
                all[i] = calls.get(key(first + i)).toCompletableFuture();
              }
              CompletableFuture.allOf(all).get();
            }));
  }

  // ---- those whose answers are lines ----

  /** One connection on which questions are written together, and answers read in their order. */
  private static final class Lines {
    private final OutputStream out;
    private final DataInputStream in;

    Lines(int port) throws Exception {
      Socket socket = connected(port);
      socket.setTcpNoDelay(true);
      out = new BufferedOutputStream(socket.getOutputStream(), 1 << 16);
      in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16));
    }

    private static Socket connected(int port) throws Exception {
      for (int tries = 0; ; tries++) {
        try {
          return new Socket(InetAddress.getLoopbackAddress(), port);
        } catch (IOException e) {
          if (tries == 100) {
            throw e;
          }
          Thread.sleep(50); // it is starting
        }
      }
    }

    void say(String words) throws IOException {
      out.write(words.getBytes(StandardCharsets.US_ASCII));
    }

    void flush() throws IOException {
      out.flush();
    }

    /** Reads a line, which must begin so. */
    void hear(String begins) throws IOException {
      StringBuilder line = new StringBuilder();
      int next;
      while ((next = in.readByte()) != '\n') {
        line.append((char) next);
      }
      if (line.indexOf(begins) != 0) {
        throw new IOException("'" + line + "' in place of '" + begins + "'");
      }
    }

    byte[] value() throws IOException {
      byte[] value = new byte[VALUE_BYTES];
      in.readFully(value);
      hear("\r");
      return value;
    }
  }

  private static Named redis(int port) throws Exception {
    Lines lines = new Lines(port);
    for (int i = 0; i < KEYS; i++) {
      String value = new String(value(i), StandardCharsets.US_ASCII);
      lines.say("SET " + key(i) + " " + value + "\r\n");
      lines.flush();
      lines.hear("+OK");
    }
    return new Named(
        "redis, pipelined",
        (first, count) -> {
          for (int i = 0; i < count; i++) {
            String key = key(first + i);
            lines.say("*2\r\n$3\r\nGET\r\n$" + key.length() + "\r\n" + key + "\r\n");
          }
          lines.flush();
          for (int i = 0; i < count; i++) {
            lines.hear("$" + VALUE_BYTES);
            byte[] _ = lines.value();
          }
        });
  }

  private static Named memcached(int port) throws Exception {
    Lines lines = new Lines(port);
    for (int i = 0; i < KEYS; i++) {
      String value = new String(value(i), StandardCharsets.US_ASCII);
      lines.say("set " + key(i) + " 0 0 " + VALUE_BYTES + "\r\n" + value + "\r\n");
      lines.flush();
      lines.hear("STORED");
    }
    return new Named(
        "memcached, pipelined",
        (first, count) -> {
          for (int i = 0; i < count; i++) {
            lines.say("get " + key(first + i) + "\r\n");
          }
          lines.flush();
          for (int i = 0; i < count; i++) {
            lines.hear("VALUE");
            byte[] _ = lines.value();
            lines.hear("END");
          }
        });
  }

  // ---- the race ----

  private static double perSecond(Contestant contestant, int atATime, double seconds)
      throws Exception {
    long begin = System.nanoTime();
    long end = begin + (long) (seconds * 1e9);
    int got = 0;
    while (System.nanoTime() - end < 0) {
      contestant.get(got * 7, atATime);
      got += atATime;
    }
    return got * 1e9 / (System.nanoTime() - begin);
  }

  private void race(int rounds, double seconds) throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String path = System.getProperty("java.class.path");
    int store = start(List.of(java, "-cp", path, StoreServer.class.getName()), "");
    int redis = start(List.of("redis-server", "--save", "", "--bind", "127.0.0.1"), "--port");
    int cache = start(List.of("memcached", "-u", "nobody", "-U", "0", "-l", "127.0.0.1"), "-p");
    new Lines(store).flush(); // it listens
    try (VerbenaClient client = VerbenaClient.builder().build();
        Session session = client.connect("127.0.0.1:" + store)) {
      List<Named> all = new ArrayList<>(verbena(session));
      all.add(redis(redis));
      all.add(memcached(cache));
      for (int atATime : AT_A_TIME) {
        double[][] rates = new double[all.size()][rounds];
        for (int round = -1; round < rounds; round++) { // the first one warms up
          for (int i = 0; i < all.size(); i++) {
            double rate = perSecond(all.get(i).contestant, atATime, seconds);
            if (round >= 0) {
              rates[i][round] = rate;
            }
          }
        }
        for (int i = 0; i < all.size(); i++) {
          Arrays.sort(rates[i]);
          System.out.printf(
              "%3d at a time  %-28s %,10.0f/s  (%,.0f to %,.0f)%n",
              atATime, all.get(i).name, rates[i][rounds / 2], rates[i][0], rates[i][rounds - 1]);
        }
      }
    } finally {
      servers.forEach(Process::destroy);
    }
  }

  public static void main(String[] args) throws Exception {
    int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 5;
    double seconds = args.length > 1 ? Double.parseDouble(args[1]) : 2;
    new TableRace().race(rounds, seconds);
  }
}
