package io.verbena.core.session;

import io.verbena.api.SessionPath;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A session's calls use another link, or the same link for another reason, or none. */
@Name("verbena.PathChange")
@Label("Change of Path")
@Category("Verbena")
@Description("A session's calls take another link, or the same for another reason, or none")
@StackTrace(false)
final class PathChangeEvent extends Event {
  @Label("Peer")
  String peer = "";

  @Label("From")
  @Description("The link before; none for a session that opens or resumes")
  String from = "";

  @Label("To")
  String to = "";

  @Label("Reason")
  @Description("The device for RDMA, else why it is not RDMA, or why there is no link")
  String reason = "";

  static void record(String peer, SessionPath before, SessionPath now) {
    PathChangeEvent event = new PathChangeEvent();
    if (event.shouldCommit()) {
      event.peer = peer;
      event.from = before.link();
      event.to = now.link();
      event.reason = now.reason();
      event.commit();
    }
  }
}
