package io.verbena.testkit.abuse;

import io.verbena.api.RpcMethod;
import io.verbena.api.RpcService;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Flow;

/** The contract that abusers call. */
@RpcService(name = "victim.v1")
public interface Victim {
  /** Returns what comes after a number, on the loop. */
  @RpcMethod(id = 1, nonBlocking = true)
  long next(long number);

  /** Returns so many bytes. */
  @RpcMethod(id = 2, timeout = "5m")
  byte[] large(int bytes);

  /** Returns how many bytes it was given. */
  @RpcMethod(id = 3, timeout = "5m")
  long store(byte[] bytes);

  /** Waits until it is cancelled. */
  @RpcMethod(id = 4, timeout = "5m")
  void stay();

  /** Never returns, and heeds no interruption; its callers give up after a second. */
  @RpcMethod(id = 5, timeout = "1s")
  void block();

  /** Returns how many entries it was given, whose keys have all the same hash. */
  @RpcMethod(id = 6, timeout = "5m")
  int look(Map<Clash, Integer> entries);

  /** Returns a text of so many characters, some of which are not ASCII. */
  @RpcMethod(id = 7, timeout = "5m")
  String text(int characters);

  /** Returns so many records. */
  @RpcMethod(id = 8, timeout = "5m")
  List<Clash> entries(int count);

  /** Returns a stream of texts of so many characters, without an end. */
  @RpcMethod(id = 9, timeout = "5m")
  Flow.Publisher<String> stream(int characters);

  /** A key that meets all others in a hash table. */
  record Clash(int number) {
    @Override
    public int hashCode() {
      return 0;
    }
  }
}
