package io.verbena.it.wire;

import io.verbena.api.CallContext;
import io.verbena.api.Metadata;
import io.verbena.api.RpcException;
import io.verbena.api.RpcStatus;
import io.verbena.api.StreamIterator;
import io.verbena.api.Streams;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Flow;
import java.util.concurrent.Semaphore;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** A nursery that remembers what was noted. */
final class PlainNursery implements Nursery {
  private final Map<Long, Integer> once = new ConcurrentHashMap<>();
  private final Map<Long, Integer> notes = new ConcurrentHashMap<>();
  private final Semaphore interrupted = new Semaphore(0);

  private static Visitor visitor() {
    return Nursery_VisitorRpc.client(Objects.requireNonNull(CallContext.current()).session());
  }

  @Override
  public Plant find(String name) throws NoSuchPlant {
    if (!name.equals("verbena")) {
      throw new NoSuchPlant("no '" + name + "' grows here", "verbena");
    }
    return new Plant(
        name, 30, LocalDate.of(2030, 1, 31), List.of(Colour.VIOLET, Colour.RED), new Clay(6), null);
  }

  @Override
  public Everything echo(Everything value) {
    return value;
  }

  @Override
  public List<Long> reversed(List<Long> numbers) {
    List<Long> reversed = new ArrayList<>(numbers);
    Collections.reverse(reversed);
    return reversed;
  }

  @Override
  public int once(long number) {
    return once.merge(number, 1, Integer::sum);
  }

  @Override
  public void note(long number) {
    notes.merge(number, 1, Integer::sum);
  }

  @Override
  public List<Integer> noted() {
    long twice = notes.values().stream().filter(times -> times > 1).count();
    return List.of(notes.size(), (int) twice);
  }

  @Override
  public List<String> askBack(List<Long> numbers) {
    Visitor visitor = visitor();
    visitor.told("about to ask " + numbers.size());
    List<String> answers = new ArrayList<>();
    for (long number : numbers) {
      try {
        answers.add(Long.toString(visitor.square(number)));
      } catch (TooLarge e) {
        answers.add(e.getMessage() + ", at most " + e.getMost());
      } catch (RpcException e) {
        answers.add(e.status() + " of " + e.remoteType());
      }
    }
    return answers;
  }

  @Override
  public Flow.Publisher<Long> countTo(long last) {
    return Streams.of(LongStream.rangeClosed(1, last).boxed());
  }

  private static long sum(Flow.Publisher<Long> numbers) {
    long sum = 0;
    try (StreamIterator<Long> each = Streams.iterate(numbers)) {
      while (each.hasNext()) {
        sum += each.next();
      }
    }
    return sum;
  }

  @Override
  public long total(Flow.Publisher<Long> numbers) {
    return sum(numbers);
  }

  @Override
  public Flow.Publisher<Long> doubled(Flow.Publisher<Long> numbers) {
    StreamIterator<Long> each = Streams.iterate(numbers);
    return Streams.of(
        Stream.generate(() -> 0).takeWhile(ignored -> each.hasNext()).map(i -> 2 * each.next()));
  }

  @Override
  public void sleep() {
    try {
      new Semaphore(0).acquire();
    } catch (InterruptedException e) {
      interrupted.release();
      throw new IllegalStateException("was interrupted", e);
    }
  }

  @Override
  public void awaitInterrupted(int calls) {
    interrupted.acquireUninterruptibly(calls);
  }

  @Override
  public byte[] blob(int length) {
    return new byte[length];
  }

  @Override
  public String described(String key) {
    Metadata metadata = Objects.requireNonNull(CallContext.current()).metadata();
    return String.join(",", metadata.all(Metadata.Key.text(key)));
  }

  @Override
  public Flow.Publisher<Long> broken(int good) {
    return Streams.of(
        LongStream.rangeClosed(0, good)
            .mapToObj(
                i -> {
                  if (i == good) {
                    throw new RpcException(RpcStatus.PERMISSION_DENIED, "not that one");
                  }
                  return i;
                }));
  }

  @Override
  public long totalOfVisitor(long last) {
    return sum(visitor().counted(last));
  }
}
