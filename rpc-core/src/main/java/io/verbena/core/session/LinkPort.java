package io.verbena.core.session;

import io.verbena.core.link.LinkListener;
import java.nio.ByteBuffer;

/** Listens to a link for whoever owns it at the moment: first a handshake, then a session. */
final class LinkPort implements LinkListener {
  private LinkListener owner;

  LinkPort(LinkListener owner) {
    this.owner = owner;
  }

  void handTo(LinkListener next) {
    owner = next;
  }

  @Override
  public void onFrame(ByteBuffer buffer, int from, int to) {
    owner.onFrame(buffer, from, to);
  }

  @Override
  public void onBulkMoved() {
    owner.onBulkMoved();
  }

  @Override
  public void onWritable() {
    owner.onWritable();
  }

  @Override
  public void onClosed(String reason) {
    owner.onClosed(reason);
  }

  @Override
  public void onUntrusted(String reason) {
    owner.onUntrusted(reason);
  }
}
