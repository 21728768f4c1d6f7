package io.verbena.bench.rival;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.FragmentHandler;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/** Aeron's media driver, and a thread that answers each message with itself. */
final class AeronServer implements RivalServer {
  private final int number;
  private final MediaDriver driver;
  private final Aeron aeron;
  private final Thread echo;

  private AeronServer(int number, boolean polls) {
    this.number = number;
    driver =
        MediaDriver.launchEmbedded(
            new MediaDriver.Context()
                .aeronDirectoryName(AeronIpc.directory(number))
                .dirDeleteOnStart(true)
                .dirDeleteOnShutdown(true)
                .threadingMode(ThreadingMode.SHARED));
    aeron = AeronIpc.connect(number);
    Subscription in = aeron.addSubscription(AeronIpc.CHANNEL, AeronIpc.TO_SERVER);
    ExclusivePublication out = aeron.addExclusivePublication(AeronIpc.CHANNEL, AeronIpc.TO_CLIENT);
    IdleStrategy idle = polls ? new BusySpinIdleStrategy() : new BackoffIdleStrategy();
    FragmentHandler answering =
        (buffer, offset, length, header) -> AeronIpc.send(out, buffer, offset, length);
    echo =
        Thread.ofPlatform()
            .daemon()
            .name("aeron-echo")
            .start(
                () -> {
                  while (!Thread.currentThread().isInterrupted()) {
                    idle.idle(in.poll(answering, AeronIpc.MOST_AT_ONCE));
                  }
                });
  }

  /**
   * Starts the server.
   *
   * @param polls whether its thread never waits; else it waits by Aeron's default strategy
   */
  static RivalServer start(boolean polls) {
    try {
      return new AeronServer(DarpcServer.freePort(), polls);
    } catch (ExceptionInInitializerError | NoClassDefFoundError e) {
      throw new IllegalStateException(
          "Aeron needs --add-opens java.base/jdk.internal.misc=ALL-UNNAMED", e);
    }
  }

  @Override
  public int port() {
    return number;
  }

  @Override
  public void close() {
    echo.interrupt();
    try {
      echo.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    aeron.close();
    driver.close();
  }
}
