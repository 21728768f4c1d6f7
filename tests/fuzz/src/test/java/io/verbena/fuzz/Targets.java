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
import io.verbena.grpc.GrpcTarget;
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
  /** Generated code: arguments, results and declared exceptions. */
  CONTRACT,
  /** All frames that a client may send to a server. */
  SERVER,
  /** All frames that a server may send to a client. */
  CLIENT,
  /** A TCP stream: frames, chunks, receipts. */
  TCP,
  /** The messages that open an RDMA link, its Sends and its immediates. */
  RDMA,
  /** The messages that open a shared-memory link, and its ring. */
  SHM,
  /** The sums beside a file that is not whole. */
  PARTS,
  /** Kryo's bytes, behind the checks. */
  KRYO,
  /** Questions for items of streams, and what they are answered with. */
  STREAMS,
  /** The head of a compressed message, before its metadata. */
  COMPRESSION,
  /** Questions for memory that is exposed, and what they are answered with. */
  REGIONS,
  /** Schemas and record batches of Apache Arrow. */
  ARROW,
  /** Carriers of gRPC's calls: pieces, answers, metadata. */
  GRPC;

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
      case GRPC -> new GrpcTarget();
    };
  }

  /** Returns its name in lower case. */
  String title() {
    return name().toLowerCase(Locale.ROOT);
  }
}
