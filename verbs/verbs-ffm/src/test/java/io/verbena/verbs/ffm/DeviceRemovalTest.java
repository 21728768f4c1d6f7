package io.verbena.verbs.ffm;

import static com.ibm.disni.verbs.RdmaCmEvent.EventType.RDMA_CM_EVENT_DEVICE_REMOVAL;
import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.RdmaCmEvent;
import io.verbena.testkit.JavaProcess;
import io.verbena.verbs.ext.Access;
import io.verbena.verbs.ext.QpChange;
import io.verbena.verbs.ext.SendFlags;
import io.verbena.verbs.ext.SendOpcode;
import io.verbena.verbs.ext.VerbsException;
import io.verbena.verbs.ext.VerbsQp;
import io.verbena.verbs.ext.WcStatus;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/**
 * The device goes away while a process of its own, started for this, has work outstanding on it.
 */
@Tag("lab")
@Order(1) // before this JVM opens the device itself, for a device goes when the last has closed it
@EnabledIfEnvironmentVariable(named = "LAB_NAME", matches = ".+")
class DeviceRemovalTest {
  private static final int WRITES = 8;
  private static final int BYTES = 1 << 16;

  /** Work request ids from here on are receives. */
  private static final int RECEIVES = 1000;

  @Test
  void endsWhatIsOutstandingAndTheProcessUsesTheDeviceThatComesAfterIt() throws Exception {
    JavaProcess.Ended victim =
        JavaProcess.of(DeviceRemovalTest.class)
            .options("--enable-native-access=ALL-UNNAMED")
            .mergesErrors()
            .run(Duration.ofMinutes(1));
    assertThat(victim.status()).as(victim.out()).isZero();
    assertThat(victim.out())
        .contains("64 receives flushed", "closed in order", "connected again", "unheard");
  }

  /** Fails while the kernel waits for somebody who has the removed device open. */
  private static void bringBack() throws Exception {
    for (int attempt = 0; attempt < 50; attempt++) {
      Optional<VerbsException> _ = FfmProvider.shared().problem(); // as whoever waits for a device
      String name = LabDevice.name();
      String type = name.replaceAll("[0-9]+$", "");
      Process add =
          new ProcessBuilder("rdma", "link", "add", name, "type", type, "netdev", "eth0").start();
      if (add.waitFor() == 0) {
        return;
      }
      Thread.sleep(100);
    }
    throw new AssertionError("the device did not come back");
  }

  /** The victim. */
  public static void main(String[] arguments) throws Exception {
    Pair pair = Pair.connect(FfmProvider.shared(), LabDevice.ipv4(0));
    prepare(pair);
    remove();
    long writes = writeUntilRemoved(pair);
    pair.client.postSend(WRITES);
    VerbsQp.of(pair.client.qp).modify(QpChange.toError());
    int flushed = 0;
    for (int i = 0; i < WRITES + Side.DEPTH; i++) {
      pair.client.await();
      if (pair.client.completions.wrId(0) >= RECEIVES) {
        assertThat(pair.client.completions.status(0)).isEqualTo(WcStatus.WR_FLUSH_ERR);
        flushed++;
      }
    }
    System.out.println("removed after " + writes + " writes; " + flushed + " receives flushed");
    pair.close();
    System.out.println("closed in order");
    bringBack();
    Pair.connect(FfmProvider.shared(), LabDevice.ipv4(0)).close();
    System.out.println("connected again");
    remove(); // of which nobody hears, since nothing is open
    bringBack();
    System.out.println("unheard");
  }

  private static void prepare(Pair pair) throws IOException {
    MemorySegment memory = pair.client.arena.allocate(BYTES, 4096);
    MemorySegment target = pair.server.arena.allocate(BYTES, 4096);
    IbvMr from = pair.client.register(memory, Access.LOCAL_WRITE);
    IbvMr to = pair.server.register(target, Access.LOCAL_WRITE | Access.REMOTE_WRITE);
    for (int i = 0; i < Side.DEPTH; i++) {
      pair.client.receives.request(i, RECEIVES + i);
    }
    pair.client.postReceive(Side.DEPTH);
    for (int i = 0; i < WRITES; i++) {
      pair.client
          .sends
          .request(i, i, SendOpcode.RDMA_WRITE, SendFlags.SIGNALED)
          .sge(i, from.getAddr(), BYTES, from.getLkey())
          .remote(i, to.getAddr(), to.getRkey());
    }
  }

  private static void remove() throws IOException {
    new ProcessBuilder("rdma", "link", "delete", LabDevice.name()).inheritIO().start();
  }

  private static long writeUntilRemoved(Pair pair) throws IOException {
    for (long writes = 0; ; writes += WRITES) {
      RdmaCmEvent event = pair.events.getCmEvent(0);
      if (event != null && Pair.type(event) == RDMA_CM_EVENT_DEVICE_REMOVAL) {
        return writes;
      }
      pair.client.postSend(WRITES);
      for (int i = 0; i < WRITES; i++) {
        pair.client.await();
      }
    }
  }
}
