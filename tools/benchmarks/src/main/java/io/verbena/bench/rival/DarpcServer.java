package io.verbena.bench.rival;

import com.ibm.darpc.DaRPCServerEndpoint;
import com.ibm.darpc.DaRPCServerEvent;
import com.ibm.darpc.DaRPCServerGroup;
import com.ibm.darpc.DaRPCService;
import com.ibm.disni.RdmaServerEndpoint;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** A server of DaRPC, which returns each message on the polling thread. */
final class DarpcServer implements RivalServer {
  private static final int CLUSTERS = 1;
  private static final int BACKLOG = 16;

  private final DaRPCServerGroup<DarpcMessage, DarpcMessage> group;
  private final int port;

  private DarpcServer(DaRPCServerGroup<DarpcMessage, DarpcMessage> group, int port) {
    this.group = group;
    this.port = port;
  }

  /**
   * Starts the server on an address of a verbs device.
   *
   * @param polls whether its thread never waits
   */
  static DarpcServer start(String host, boolean polls) {
    try {
      DarpcCaller.useDevices();
      DaRPCServerGroup<DarpcMessage, DarpcMessage> group =
          DaRPCServerGroup.createServerGroup(
              new Echo(),
              new long[] {1},
              DarpcMessage.TIMEOUT_MILLIS,
              0,
              polls,
              DarpcMessage.DEPTH,
              DarpcMessage.DEPTH,
              DarpcMessage.DEPTH,
              CLUSTERS);
      DarpcMessage.retry(group.getConnParam());
      int port = freePort();
      RdmaServerEndpoint<DaRPCServerEndpoint<DarpcMessage, DarpcMessage>> listening =
          group.createServerEndpoint();
      listening.bind(new InetSocketAddress(host, port), BACKLOG);
      Thread.ofPlatform().daemon().name("darpc-accept").start(() -> accept(listening));
      return new DarpcServer(group, port);
    } catch (Exception e) { // DaRPC declares no other
      throw new IllegalStateException("DaRPC's server does not start: " + e.getMessage(), e);
    }
  }

  /** Returns a port that is free for TCP. DaRPC cannot choose a port and report it. */
  static int freePort() {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void accept(
      RdmaServerEndpoint<DaRPCServerEndpoint<DarpcMessage, DarpcMessage>> listening) {
    try {
      while (true) {
        listening.accept();
      }
    } catch (IOException e) {
      // closed
    }
  }

  @Override
  public int port() {
    return port;
  }

  @Override
  public void close() {
    try {
      group.close();
    } catch (IOException e) {
      // nothing can be done about it
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static final class Echo extends DarpcMessage.Protocol
      implements DaRPCService<DarpcMessage, DarpcMessage> {
    @Override
    public void processServerEvent(DaRPCServerEvent<DarpcMessage, DarpcMessage> event)
        throws IOException {
      event.getSendMessage().bytes(event.getReceiveMessage().bytes());
      event.triggerResponse();
    }

    @Override
    public void open(DaRPCServerEndpoint<DarpcMessage, DarpcMessage> endpoint) {}

    @Override
    public void close(DaRPCServerEndpoint<DarpcMessage, DarpcMessage> endpoint) {}
  }
}
