package io.verbena.fuzz;

import io.verbena.core.transfer.PartSumsTarget;
import io.verbena.fuzz.decoder.ArrowTarget;
import io.verbena.fuzz.decoder.ClientTarget;
import io.verbena.fuzz.decoder.CompressionTarget;
import io.verbena.fuzz.decoder.ContractTarget;
import io.verbena.fuzz.decoder.KryoTarget;
import io.verbena.fuzz.decoder.OpeningTarget;
import io.verbena.fuzz.decoder.RdmaWireTarget;
import io.verbena.fuzz.decoder.RegionsTarget;
import io.verbena.fuzz.decoder.SchemaTarget;
import io.verbena.fuzz.decoder.ServerTarget;
import io.verbena.fuzz.decoder.StreamsTarget;
import io.verbena.fuzz.decoder.WireTarget;
import io.verbena.shm.ShmTarget;
import io.verbena.tcp.TcpStreamTarget;
import java.util.Locale;

/** Everything that takes bytes of a peer's. A target's name is its corpus's, too. */
enum Targets {
  /** Numbers, strings, counts and records, in any order. */
  WIRE,
  /** HELLO, WELCOME and REFUSED. */
  OPENING,
  /** A peer's contract, and its comparison with this end's. */
  SCHEMA,
  /** What the processor generates: arguments, results and declared exceptions. */
  CONTRACT,
  /** All frames that a client may send to a server. */
  SERVER,
  /** All frames that a server may send to a client. */
  CLIENT,
  /** A TCP stream: frames, chunks, receipts. */
  TCP,
  /** What opens an RDMA link, and what its Sends and immediates say. */
  RDMA,
  /** What opens a shared-memory link, and its ring. */
  SHM,
  /** The sums beside a file that is not whole. */
  PARTS,
  /** What Kryo writes, behind its checks. */
  KRYO,
  /** Questions for items of streams, and what they are answered with. */
  STREAMS,
  /** What a compressed message has before its metadata. */
  COMPRESSION,
  /** Questions for memory that is exposed, and what they are answered with. */
  REGIONS,
  /** Schemas and record batches of Apache Arrow. */
  ARROW;

  /** Returns a new one. */
  Target make() {
    return switch (this) {
      case WIRE -> new WireTarget();
      case OPENING -> new OpeningTarget();
      case SCHEMA -> new SchemaTarget();
      case CONTRACT -> new ContractTarget();
      case SERVER -> new ServerTarget();
      case CLIENT -> new ClientTarget();
      case TCP -> new TcpStreamTarget();
      case RDMA -> new RdmaWireTarget();
      case SHM -> new ShmTarget();
      case PARTS -> new PartSumsTarget();
      case KRYO -> new KryoTarget();
      case STREAMS -> new StreamsTarget();
      case COMPRESSION -> new CompressionTarget();
      case REGIONS -> new RegionsTarget();
      case ARROW -> new ArrowTarget();
    };
  }

  /** Returns its name in lower case. */
  String title() {
    return name().toLowerCase(Locale.ROOT);
  }
}
