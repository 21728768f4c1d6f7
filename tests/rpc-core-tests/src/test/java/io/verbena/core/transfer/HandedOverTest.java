package io.verbena.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.api.RpcException;
import io.verbena.api.bulk.Landing;
import io.verbena.api.bulk.ObjectRef;
import io.verbena.api.bulk.Published;
import io.verbena.api.bulk.Received;
import io.verbena.api.bulk.Source;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every public way to hand over a file: from threads that are interrupted, by names that are no
 * characters and that differ in one byte, and as channels of each kind.
 */
class HandedOverTest {
  private static final int LENGTH = 300_001;

  private final BulkWorld bulk =
      new BulkWorld(false, server -> server.serve(LibraryRpc.bind(new Shelves())));
  private final MemorySegment bytes = bulk.bytes(LENGTH, 1);
  private final List<AutoCloseable> opened = new ArrayList<>();
  private Source answer = Source.of(new byte[0]);

  @TempDir
  @SuppressWarnings("NullAway.Init") // by JUnit
  Path directory;

  /** Answers with the test's source. */
  private final class Shelves implements Library {
    @Override
    public Received read(String title, Landing into) {
      return Received.from(answer);
    }

    @Override
    public Loan borrow(String title) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Received cover(Landing into, int page) {
      return Received.from(answer);
    }
  }

  /** A way to hand over a source, which lands elsewhere. */
  enum From {
    PUBLISHED,
    NAMED,
    PUSHED,
    GATHERED,
    ANSWERED
  }

  /** A way to hand over the path of a landing. */
  enum To {
    FETCHED,
    TAKEN,
    CALLED
  }

  @BeforeEach
  void open() {
    bulk.open();
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : opened) {
      one.close();
    }
    assertThat(Thread.interrupted()).isFalse();
    bulk.assertNothingLeft();
    bulk.close();
  }

  /** Returns files whose names differ in one byte, which is no character. */
  private List<Path> oddNames() {
    List<Path> names = new ArrayList<>();
    for (String odd : List.of("%FE", "%FF", "%20")) {
      names.add(Path.of(URI.create(directory.toUri() + "n" + odd + ".bin")));
    }
    return names;
  }

  private void assertIsAt(Path file) throws IOException {
    assertThat(Files.readAllBytes(file)).isEqualTo(bytes.toArray(ValueLayout.JAVA_BYTE));
  }

  private LibraryRpc.Async library() {
    return LibraryRpc.async(bulk.session);
  }

  /** Begins to send, on this thread. */
  private CompletionStage<Received> send(From way, Source source, Landing into) {
    return switch (way) {
      case PUBLISHED -> fetch(bulk.server.publish(source, BulkWorld.LEASE), into);
      case NAMED -> fetch(bulk.server.publish("name", source, BulkWorld.LEASE), into);
      case GATHERED -> fetch(bulk.server.publish(Source.gathered(source), BulkWorld.LEASE), into);
      case PUSHED -> push(source, into);
      case ANSWERED -> {
        answer = source;
        yield library().read("it", into);
      }
    };
  }

  private CompletionStage<Received> fetch(Published published, Landing into) {
    opened.add(published);
    return bulk.fetch(published.ref(), into).result();
  }

  private CompletionStage<Received> push(Source source, Landing into) {
    for (var session : bulk.accepted) {
      session.objects().onPush(offer -> into);
    }
    return bulk.session.objects().push("it", source).result();
  }

  private CompletionStage<Received> land(To way, Path path) {
    Landing into = Landing.file(path);
    return switch (way) {
      case FETCHED -> fetch(bulk.server.publish(Source.of(bytes), BulkWorld.LEASE), into);
      case TAKEN -> push(Source.of(bytes), into);
      case CALLED -> {
        answer = Source.of(bytes);
        yield library().read("it", into);
      }
    };
  }

  @ParameterizedTest
  @EnumSource
  void aFileOfAnyNameIsSentByThreadsThatAreInterrupted(From way) throws IOException {
    for (Path file : oddNames()) {
      Files.write(file, bytes.toArray(ValueLayout.JAVA_BYTE));
      MemorySegment into = bulk.room(LENGTH);
      Thread.currentThread().interrupt();
      CompletionStage<Received> sent;
      try {
        sent = send(way, Source.file(file), Landing.of(into));
        assertThat(Thread.currentThread().isInterrupted()).as("still").isTrue();
      } finally {
        Thread.interrupted();
      }
      bulk.await(sent).close();
      assertThat(into.mismatch(bytes)).as("%s", file).isEqualTo(-1);
      for (AutoCloseable one : opened) {
        assertThatCode(one);
      }
      opened.clear();
    }
  }

  private static void assertThatCode(AutoCloseable one) {
    org.assertj.core.api.Assertions.assertThatCode(one::close).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @EnumSource
  void aChannelIsSentByThreadsThatAreInterrupted(From way) throws IOException {
    Path file = directory.resolve("source");
    Files.write(file, bytes.toArray(ValueLayout.JAVA_BYTE));
    try (FileChannel channel = FileChannel.open(file)) {
      MemorySegment into = bulk.room(LENGTH);
      Thread.currentThread().interrupt();
      CompletionStage<Received> sent;
      try {
        sent = send(way, Source.file(channel, 0, LENGTH), Landing.of(into));
      } finally {
        Thread.interrupted();
      }
      bulk.await(sent).close();
      assertThat(into.mismatch(bytes)).isEqualTo(-1);
      assertThat(channel.isOpen()).isTrue();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aChannelForDirectInputIsRefusedBeforeAnythingIsSent(From way) throws IOException {
    Path file = Files.createTempFile(Path.of("target"), "direct", ".bin");
    try {
      Files.write(file, bytes.toArray(ValueLayout.JAVA_BYTE));
      try (FileChannel direct = FileChannel.open(file, StandardOpenOption.READ, direct())) {
        Source source = Source.file(direct, 0, LENGTH);
        Landing into = Landing.of(bulk.room(LENGTH));
        if (way == From.ANSWERED) {
          RpcException failure = bulk.awaitFailure(send(way, source, into), RpcException.class);
          assertThat(failure).hasMessageContaining("direct I/O");
        } else {
          assertThatThrownBy(() -> send(way, source, into))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("direct I/O");
        }
      }
    } catch (UnsupportedOperationException | FileSystemException e) {
      assumeTrue(false, "this file system has no direct I/O");
    } finally {
      Files.delete(file);
    }
  }

  /** Returns the option without a reference to its class, which javac warns of. */
  private static OpenOption direct() {
    try {
      Object[] all = Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants();
      return (OpenOption)
          Arrays.stream(all).filter(one -> one.toString().equals("DIRECT")).findAny().orElseThrow();
    } catch (ClassNotFoundException e) {
      throw new UnsupportedOperationException(e);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aFileOfAnyNameIsLandedIn(To way) throws IOException {
    for (Path file : oddNames()) {
      CompletionStage<Received> lands;
      Thread.currentThread().interrupt();
      try {
        lands = land(way, file);
      } finally {
        Thread.interrupted();
      }
      bulk.await(lands).close();
      bulk.world.settle();
      assertIsAt(file);
    }
    try (var there = Files.list(directory)) {
      assertThat(there).hasSize(3);
    }
  }

  @Test
  void namesThatDifferInOneByteAreFilledAtTheSameTime() throws IOException {
    ObjectRef ref = bulk.publish(Source.of(bytes));
    List<CompletionStage<Received>> all = new ArrayList<>();
    for (Path file : oddNames()) {
      all.add(bulk.fetch(ref, Landing.file(file)).result());
    }
    all.forEach(bulk::await);
    for (Path file : oddNames()) {
      assertIsAt(file);
    }
  }
}
