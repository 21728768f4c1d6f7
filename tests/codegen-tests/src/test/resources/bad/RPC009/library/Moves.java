package library;

import io.verbena.api.*;

public interface Moves<K> {
  @RpcMethod(id = 1)
  void move(K from, K to);

  @RpcMethod(id = 2)
  void remove(K key);

  @RpcMethod(id = 3)
  void swap(K left, K right);
}
