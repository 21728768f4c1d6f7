package bad;

import io.verbena.api.*;
import io.verbena.api.wire.*;
import java.util.*;

@RpcService(name = "store.v1")
interface Store {
  @RpcMethod(id = 1)
  void put(Tree tree);

  record Tree(Node root) {}

  record Node(String value, Node next) {} // HERE
}
