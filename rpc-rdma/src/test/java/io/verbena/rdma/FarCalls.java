package io.verbena.rdma;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Has the objects of another process called as if they were here: one thread in two processes.
 * Whoever calls waits, and meanwhile serves the calls that the other one makes back, so that a
 * listener hears on its own side, within the very call in which it would hear in one process.
 *
 * <p>Whatever is declared as an interface stays where it is and is called there; all else is
 * copied. Trusts the other side.
 */
final class FarCalls implements AutoCloseable {
  private static final int CALL = 1;
  private static final int RETURN = 2;
  private static final int THROW = 3;

  private final Socket socket;
  private final DataInputStream in;
  private final DataOutputStream out;
  private final FarValues values;
  private final List<Object> here = new ArrayList<>();
  private final IdentityHashMap<Object, Integer> numbers = new IdentityHashMap<>();
  private final Map<String, Method> methods = new HashMap<>();

  /** Offers one object to the other side, which finds it by {@link #root}. */
  FarCalls(Socket socket, FarMemory memory, Object root) throws IOException {
    this.socket = socket;
    socket.setTcpNoDelay(true);
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), 64 << 10));
    values = new FarValues(in, out, memory, this);
    numberOf(root);
  }

  /** Returns what the other side offers. */
  <T> T root(Class<T> type) {
    return type.cast(far(type, 0));
  }

  /** Serves until the other side has gone. */
  void serve() throws IOException {
    for (int what = in.read(); what >= 0; what = in.read()) {
      serve(what);
    }
  }

  /** Returns whether an object is on the other side. */
  static boolean isFar(Object object) {
    return farNumber(object) >= 0;
  }

  /** Returns the number of an object of the other side; -1 for one that is here. */
  static int farNumber(Object object) {
    return Proxy.isProxyClass(object.getClass())
            && Proxy.getInvocationHandler(object) instanceof Far far
        ? far.number
        : -1;
  }

  /** Returns the number under which the other side knows an object that is here. */
  int numberOf(Object object) {
    Integer known = numbers.get(object);
    if (known == null) {
      known = here.size();
      here.add(object);
      numbers.put(object, known);
    }
    return known;
  }

  Object here(int number) {
    return here.get(number);
  }

  /** Returns what stands here for an object of the other side. */
  Object far(Class<?> type, int number) {
    return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, new Far(number));
  }

  private @Nullable Object call(int number, Method method, Object[] arguments) throws Throwable {
    try {
      out.writeByte(CALL);
      out.writeInt(number);
      out.writeUTF(method.getDeclaringClass().getName());
      out.writeUTF(method.getName());
      out.writeByte(method.getParameterCount());
      writeAll(method.getParameterTypes(), arguments);
      out.flush();
      for (int what = in.read(); what != RETURN; what = in.read()) {
        if (what == THROW && values.read(Throwable.class) instanceof Throwable thrown) {
          throw thrown;
        }
        serve(what);
      }
      return values.read(method.getReturnType());
    } catch (IOException e) {
      closeForGood(e); // a half of a call may be out: nobody could make sense of another
      throw new UncheckedIOException("the process on the other machine is gone", e);
    }
  }

  private void closeForGood(IOException why) {
    try {
      close();
    } catch (IOException e) {
      why.addSuppressed(e);
    }
  }

  private void writeAll(Class<?>[] types, Object[] all) throws IOException {
    for (int i = 0; i < types.length; i++) {
      values.write(types[i], all[i]);
    }
  }

  private void serve(int what) throws IOException {
    if (what != CALL) {
      throw new EOFException("no call, but " + what);
    }
    Object target = here.get(in.readInt());
    Method method = method(in.readUTF(), in.readUTF(), in.readByte());
    Class<?>[] types = method.getParameterTypes();
    @Nullable Object[] arguments = new Object[types.length];
    for (int i = 0; i < types.length; i++) {
      arguments[i] = values.read(types[i]);
    }
    try {
      Object result = method.invoke(target, arguments);
      out.writeByte(RETURN);
      values.write(method.getReturnType(), result);
    } catch (InvocationTargetException e) {
      out.writeByte(THROW);
      values.write(Throwable.class, e.getCause());
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
    out.flush();
  }

  /** Namesakes in an interface that is called from afar differ in how many parameters they have. */
  private Method method(String type, String name, int parameters) {
    return methods.computeIfAbsent(
        type + "#" + name + "/" + parameters,
        _ -> {
          try {
            for (Method method : Class.forName(type).getMethods()) {
              if (method.getName().equals(name) && method.getParameterCount() == parameters) {
                return method;
              }
            }
          } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
          }
          throw new IllegalStateException("no method " + name + " in " + type);
        });
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private final class Far implements InvocationHandler {
    private final int number;

    Far(int number) {
      this.number = number;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
        throws Throwable {
      if (method.getDeclaringClass() == Object.class) {
        return switch (method.getName()) {
          case "equals" -> arguments != null && proxy == arguments[0];
          case "hashCode" -> number;
          default -> "number " + number + " of the other machine";
        };
      }
      Object[] given = arguments == null ? new Object[0] : arguments;
      if (method.getName().equals("onFrame") && given[0] instanceof ByteBuffer all) {
        // Of a link's whole buffer only the frame.
        int from = (int) given[1];
        int length = (int) given[2] - from;
        given = new Object[] {all.slice(from, length), 0, length};
      }
      return call(number, method, given);
    }
  }
}
