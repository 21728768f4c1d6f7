package io.verbena.mem;

import io.verbena.link.LinkProvider;
import io.verbena.testkit.LinkHarness;
import java.net.URI;
import java.nio.ByteBuffer;

final class InMemoryHarness implements LinkHarness {
  private final InMemoryNetwork network;
  private final URI silent = URI.create("mem://silent");

  InMemoryHarness(InMemoryNetwork network) {
    this.network = network;
    this.network.admit(silent, InMemoryNetwork.Admission.IGNORE);
  }

  @Override
  public LinkProvider provider() {
    return network;
  }

  @Override
  public URI freeAddress() {
    return URI.create("mem://contract:0");
  }

  @Override
  public URI nobodyListens() {
    return URI.create("mem://nobody");
  }

  @Override
  public URI nobodyAnswers() {
    return silent;
  }

  @Override
  public byte[] overstated(byte[] advertisement) {
    byte[] lie = advertisement.clone();
    ByteBuffer buffer = ByteBuffer.wrap(lie);
    int length = lie.length - Long.BYTES;
    buffer.putLong(length, 2 * buffer.getLong(length));
    return lie;
  }

  @Override
  public void close() {}
}
