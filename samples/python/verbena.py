"""A client of Verbena's wire, version 3, written from docs/spec/wire.md. Python 3.8 or later; standard library only.
    with verbena.connect("localhost", 7400) as session: print(session.service("shop.v1").find("pear").price)
README.md beside it says what else there is. Safe for use by many threads."""
import collections, contextlib, decimal, random, select, socket, struct, threading, time, types, uuid

VERSION, MAX_FRAME, MAX_MESSAGE, MAX_CALLS, MAX_DEPTH, MOST_SENT = 3, 1 << 16, 64 << 20, 256, 256, 1024
MOST_ITEMS, FIRST, PARTS, METADATA, ONES = 64, 1, 2, 4, 0xffffffff
HEADER = struct.Struct(">BBBBIIIQ")
NAMES = {code: name for code, name in enumerate(
    "- HELLO WELCOME REFUSED ACK PING PONG GOODBYE REQUEST ONEWAY RESULT DECLARED_ERROR FAILURE CANCEL ONEWAY_DONE SERVICES"
    " SCHEMA_REQUEST SCHEMA FRAGMENT DRAINING LAST_CALL - - - - - - - - - - - BULK_FETCH BULK_OFFER BULK_GRANT BULK_PROGRESS"
    " BULK_SENT BULK_DONE BULK_CANCEL - BULK_RESUME BULK_RESUMED - - - - - - UPGRADE_REQUEST UPGRADE_OFFER UPGRADE_DECLINED"
    " PATH_CHANGED RAIL_REQUEST - - - SETTLE".split()) if name != "-"}
KINDS = {name: code for code, name in NAMES.items()}
STATUS = ("? CANCELLED INVALID_ARGUMENT DEADLINE_EXCEEDED UNIMPLEMENTED UNAVAILABLE RESOURCE_EXHAUSTED INCOMPATIBLE"
          " UNAUTHENTICATED PERMISSION_DENIED INTERNAL PROTOCOL_ERROR").split()
EXECUTION = ["NOT_EXECUTED", "UNKNOWN", "EXECUTED"]
BROKEN = (ValueError, LookupError, RecursionError)  # what reading a peer's bytes may raise
TEXT, MAP, STREAM = "java.lang.String", "java.util.Map", "java.util.concurrent.Flow.Publisher"

class WireError(ValueError): """The peer's bytes are malformed."""

class RpcError(Exception):
    """A call has failed; `execution` says whether its handler ran. A handler may raise one, too."""
    def __init__(self, status, message, execution="EXECUTED", remote_type=""):
        super().__init__(message)
        self.status, self.message, self.execution, self.remote_type = status, message, execution, remote_type

class DeclaredError(RpcError):
    """An exception that a method declares, with its members in `details`. `declared` has a class for each type."""
    type, classes = "", {}
    def __init__(self, details):
        super().__init__("DECLARED", details.get("message") or "", remote_type=self.type)
        self.details = Record(details)
def declared(name):  # returns the Python class of an exception's type, to be caught or raised
    return DeclaredError.classes.setdefault(name, type(simple(name), (DeclaredError,), {"type": name}))

class Record(dict):
    """The members of a record by their names: `item["price"]`, or `item.price`."""
    def __getattr__(self, name):
        if name not in self: raise AttributeError(name)
        return self[name]
    def __hash__(self): return hash(tuple(self.items()))

# ---- bytes
def var(value, bits=32):
    if not -1 << bits - 1 <= value < 1 << bits - 1: raise ValueError(f"{value} has more than {bits} bits")
    value, out = value & (1 << bits) - 1, bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])
def sized(value): return var(len(value)) + value

class In:  # reads a body. No length is believed before it was checked
    def __init__(self, data): self.data, self.at, self.end, self.depth = data, 0, len(data), 0
    def take(self, count):
        if count > self.end - self.at: raise WireError(f"{count} bytes are needed and {self.end - self.at} are left")
        self.at += count
        return self.data[self.at - count:self.at]
    def fixed(self, code): return struct.unpack(">" + code, self.take(struct.calcsize(">" + code)))[0]
    def var(self, bits=32):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            if shift + 7 > bits and byte >> bits - shift: raise WireError(f"a number has more than {bits} bits")
            value |= (byte & 127) << shift
            if byte < 128: return value - (1 << bits) if value >> bits - 1 else value
            shift += 7
    def count(self):
        count = self.var()
        if not 0 <= count <= self.end - self.at: raise WireError(f"{count} elements cannot be in {self.end - self.at} bytes")
        return count
    def bytes(self): return self.take(self.count())
    def text(self): return self.bytes().decode()
    def boolean(self):
        byte = self.take(1)[0]
        if byte > 1: raise WireError(f"a boolean is {byte}")
        return byte == 1
    def integer(self):
        value = self.bytes()
        if not value: raise WireError("a BigInteger takes at least 1 byte")
        return int.from_bytes(value, "big", signed=True)
    def decimal(self):
        scale, unscaled = self.fixed("i"), self.integer()
        return decimal.Decimal((unscaled < 0, tuple(map(int, str(abs(unscaled)))), -scale))
    def record(self, read):  # and passes what the reader does not know
        length, outer, self.depth = self.count(), self.end, self.depth + 1
        if self.depth > MAX_DEPTH: raise WireError(f"records nest more than {MAX_DEPTH} deep")
        self.end = self.at + length
        value = read(self)
        self.at, self.end, self.depth = self.end, outer, self.depth - 1
        return value
def integer(value): return sized(value.to_bytes((value if value >= 0 else ~value).bit_length() // 8 + 1, "big", signed=True))
def big_decimal(value):
    sign, digits, exponent = value.as_tuple()
    return struct.pack(">i", -exponent) + integer((-1 if sign else 1) * int("".join(map(str, digits))))

# ---- types and values
Schema, Method, Type, Member, Offer = made = [collections.namedtuple(*fields.split(":")) for fields in (
    "Schema:service methods types", "Method:id name oneway parameters result errors", "Type:name kind members",
    "Member:name type optional", "Offer:name hash place methods")]
STRUCTS = {one.__name__: one for one in made}  # of frames: members without a length
LEAVES = {name: (lambda v, c=code: struct.pack(">" + c, v), lambda data, c=code: data.fixed(c))  # writes it, reads it
          for name, code in dict(byte="b", short="h", int="i", long="q", float="f", double="d").items()}
LEAVES.update({
    "boolean": (lambda v: b"\1" if v else b"\0", In.boolean),
    "char": (lambda v: struct.pack(">H", ord(v)), lambda data: chr(data.fixed("H"))),
    TEXT: (lambda v: sized(v.encode()), In.text), "byte[]": (lambda v: sized(bytes(v)), In.bytes),
    "java.util.UUID": (lambda v: v.bytes, lambda data: uuid.UUID(bytes=data.take(16))),
    "java.math.BigInteger": (integer, In.integer), "java.math.BigDecimal": (big_decimal, In.decimal),
    "varint": (var, In.var), "varlong": (lambda v: var(v, 64), lambda data: data.var(64))})  # these two are of frames
ALIASES = {"java.time.Year": "int", "java.time.ZoneOffset": "int", "java.time.ZoneId": TEXT, "string": TEXT,
           "java.time.LocalTime": "long", "java.nio.ByteBuffer": "byte[]", "java.lang.foreign.MemorySegment": "byte[]",
           "java.util.OptionalInt": "int?", "java.util.OptionalLong": "long?", "java.util.OptionalDouble": "double?"}
DATE, TIME = "java.time.LocalDate", "java.time.LocalDateTime"
TUPLES = {"java.time." + name: types.split() for name, types in dict(  # in Python tuples of what is on the wire
    Instant="long int", Duration="long int", Period="int int int", LocalDate="int byte byte", YearMonth="int byte",
    MonthDay="byte byte", OffsetTime="long int", LocalDateTime=DATE + " long", OffsetDateTime=TIME + " int",
    ZonedDateTime=TIME + " int " + TEXT).items()}
LISTS, MAYBE = ("[]", "java.util.List", "java.util.Set", "java.util.Collection"), ("?", "java.util.Optional")
def simple(name): return name.rsplit(".", 1)[-1]
def parts(text):  # takes a type's name apart: what it is, and what it holds
    if text.endswith(("?", "[]")): return text[-1 if text[-1] == "?" else -2:], [text[:-1 if text[-1] == "?" else -2]]
    outer, opened, rest = text.partition("<")
    held, depth = [""], 0
    for c in rest[:-1]:
        depth += (c == "<") - (c == ">")
        if c == "," and not depth: held.append("")
        else: held[-1] += c
    return outer, held if opened else []

class Codec:  # writes and reads values of a contract's types
    def __init__(self, types=()): self.types, self.made = {t.name: t for t in types}, {}
    def of(self, text):  # returns what writes values of a type, and what reads them from an In
        if text not in self.made:
            self.made[text] = self.defined(self.types[text]) if text in self.types else self.built(text)
        return self.made[text]
    def built(self, text):
        outer, held = parts(text)
        if text in LEAVES or text in ALIASES: return LEAVES[text] if text in LEAVES else self.of(ALIASES[text])
        each = [self.of(part) for part in TUPLES.get(text, held)]
        if text in TUPLES:
            return lambda v: b"".join(w(x) for (w, _), x in zip(each, v)), lambda data: tuple(r(data) for _, r in each)
        if outer == MAP:
            (write_key, read_key), (write, read) = each
            return (lambda v: var(len(v)) + b"".join(write_key(key) + write(value) for key, value in v.items()),
                    lambda data: {read_key(data): read(data) for _ in range(data.count())})
        if outer not in LISTS and outer not in MAYBE: raise WireError("a type that is not known here: " + text)
        (write, read), = each
        if outer in LISTS:
            return lambda v: var(len(v)) + b"".join(map(write, v)), lambda data: [read(data) for _ in range(data.count())]
        return lambda v: b"\0" if v is None else b"\1" + write(v), lambda data: read(data) if data.boolean() else None
    def defined(self, of):
        names = [member.name for member in of.members]
        def known(number, among):
            if number not in among: raise WireError(f"{of.name} {number} is not known here")
            return among[number]
        if of.kind == "CUSTOM": return sized, In.bytes
        if of.kind == "STRUCT":
            return lambda v: self.write(of, v._asdict()), lambda data: STRUCTS[of.name](*self.read(data, of))
        if of.kind == "RECORD":
            read = lambda data: Record(zip(names, self.read(data, of)))
            return lambda v: sized(self.write(of, v)), lambda data: data.record(read)
        if of.kind == "ENUM": return lambda v: var(names.index(v)), lambda data: known(data.var(), dict(enumerate(names)))
        labels = {simple(member.type): member for member in of.members}
        bare = lambda text: self.types[text].kind in ("ENUM", "SEALED")
        def write_choice(value):  # {"Box": {...}}, by the subtype's simple name
            (label, inner), = value.items()
            of = labels[label]
            body = self.of(of.type)[0](inner)
            return var(int(of.name)) + (sized(body) if bare(of.type) else body)
        def read_choice(data):
            text = known(str(data.var()), {m.name: m.type for m in of.members})
            read = self.of(text)[1]
            return Record({simple(text): data.record(read) if bare(text) else read(data)})
        return write_choice, read_choice
    def default(self, member):
        if not member.optional: raise WireError(f"{member.name}, a {member.type}, is missing")
        return self.of(member.type)[1](In(bytes(8)))  # zeros are what defaults look like
    def write(self, of, values):
        return b"".join(self.of(m.type)[0](values[m.name] if m.name in values else self.default(m)) for m in of.members)
    def read(self, data, of):
        return [self.of(m.type)[1](data) if data.at < data.end else self.default(m) for m in of.members]

# ---- frames
Frame = collections.namedtuple("Frame", "kind flags link number acked about call place body")
def fields_of(text): return [field.split(":") for field in text.split()]  # name:type, or name:type:when
FRAMES = Codec([Type(name, "STRUCT", [Member(*m, False) for m in fields_of(members)]) for name, members in dict(
    Offer="name:string hash:long place:varint methods:varint[]", Member="name:string type:string optional:boolean",
    Type="name:string kind:string members:Member[]", Schema="service:string methods:Method[] types:Type[]",
    Method="id:varint name:string oneway:boolean parameters:Member[] result:string errors:string[]").items()])
KEY, LIMITS = "id:long high:long low:long received:varlong ", "maxMessageBytes:varint maxFrameBytes:varint maxCalls:varint "
BODIES = {kind: fields_of(text) for kind, text in dict(
    HELLO="oldest:varint newest:varint features:varlong " + KEY + "kept:varint " + LIMITS + "token:string"
          " services:Offer[] epoch:int:features&1 content:byte[]:features&1 ping:varint:features&2",
    WELCOME="version:varint features:varlong " + KEY + LIMITS + "services:Offer[] ping:varint:features&2",
    REFUSED="status:byte unknown:boolean whole:boolean message:string", DRAINING="message:string",
    FAILURE="status:byte execution:byte type:string message:string", DECLARED_ERROR="index:varint type:string words:string",
    ONEWAY_DONE="done:varint dropped:varint why:string:dropped", SERVICES="services:Offer[]",
    SCHEMA_REQUEST="id:int services:Offer[]:more", SCHEMA="id:int served:boolean schema:Schema:served",
    BULK_CANCEL="status:byte message:string", **dict.fromkeys(("UPGRADE_REQUEST", "UPGRADE_OFFER", "UPGRADE_DECLINED"),
                                                              "epoch:int content:byte[]")).items()}
def has(fields, when, more):
    name, _, mask = (when or [""])[0].partition("&")
    return not when or (more if name == "more" else fields.get(name, 0) & int(mask or -1))
def read_body(kind, data):  # returns the members by their names; what is behind them is left
    fields = Record()
    for name, text, *when in BODIES.get(kind, ()):
        if has(fields, when, data.at < data.end): fields[name] = FRAMES.of(text)[1](data)
    return fields
def write_body(kind, **fields):
    return b"".join(FRAMES.of(text)[0](fields[name]) for name, text, *when in BODIES.get(kind, ())
                    if has(fields, when, name in fields))
def parse(data):  # takes a frame apart
    if len(data) < HEADER.size: raise WireError(f"a frame of {len(data)} bytes")
    version, kind, flags, link, number, acked, about, third = HEADER.unpack_from(data)
    if version != VERSION or flags & ~(FIRST | PARTS | METADATA) or kind not in NAMES:
        raise WireError(f"a frame of version {version}, kind {kind}, flags {flags}")
    return Frame(NAMES[kind], flags, link, number, acked, about, third >> 16, third & 0xffff, data[HEADER.size:])
def build(frame):  # puts a frame together
    return HEADER.pack(VERSION, KINDS[frame.kind], frame.flags, frame.link & 255, frame.number & ONES, frame.acked & ONES,
                       frame.about, frame.call << 16 | frame.place) + frame.body
def send_frame(link, frame): link.sendall(struct.pack(">I", HEADER.size + len(frame.body)) + build(frame))
def frames_of(link):  # yields the frames that come; None when nothing has come for a while
    buffer = bytearray()
    while True:
        length = int.from_bytes(buffer[:4], "big")
        if len(buffer) >= 4 and not HEADER.size <= length <= MAX_FRAME:
            raise WireError(f"a frame of {length} bytes; {HEADER.size} to {MAX_FRAME} are taken")
        if len(buffer) >= 4 + length > 4:
            yield parse(bytes(buffer[4:4 + length]))
            del buffer[:4 + length]
        elif not select.select([link], [], [], 0.02)[0]: yield None
        else:
            piece = link.recv(1 << 16)
            if not piece: raise ConnectionError("the peer has closed the connection")
            buffer += piece
def near(known, half):  # returns the number whose lower half is said, and which is near another
    return known + (half - known + (1 << 31) & ONES) - (1 << 31)
def split_metadata(flags, body):  # returns the body without metadata, and these: pairs of a name and bytes
    if not flags & METADATA: return body, []
    length = int.from_bytes(body[-2:], "big")
    start, entries = len(body) - 2 - length, []
    if start < 0 or length > 8192: raise WireError(f"metadata of {length} bytes in a body of {len(body)}")
    data = In(body[start:-2])
    while data.at < data.end: entries.append((data.take(data.take(1)[0]).decode(), data.take(data.fixed("H"))))
    return body[:start], entries
def join_metadata(body, entries):
    block = b"".join(bytes([len(name)]) + name.encode() + struct.pack(">H", len(value)) + value for name, value in entries)
    return body + block + struct.pack(">H", len(block)) if entries else body
def service_id(name):
    units, number = name.encode("utf-16-be"), 0
    for high, low in zip(units[::2], units[1::2]): number = 31 * number + (high << 8 | low) & ONES
    return near(0, number)

# ---- calls
ITEMS = Method(1, "next", False, [Member("id", "varlong", False), Member("most", "varint", False)], "byte[]", [])
ITEMS_TOLD = Schema("verbena.streams", [ITEMS._replace(
    parameters=[Member("id", "long", False), Member("most", "int", False)], result="items")], [])
context = threading.local()  # in a handler, `context.call` is its Call: metadata, deadline, cancelled
def refusal(status, message): return RpcError(status, message, "NOT_EXECUTED")
def is_stream(value): return isinstance(value, types.GeneratorType)
def left(deadline): return None if deadline is None else max(0, deadline - time.monotonic())

class Call:
    """A call under way: `result()` waits for it. `metadata` came with its answer; in a handler, with the call."""
    def __init__(self, session, timeout, read=None, of=None, codec=None, metadata=()):
        self.session, self.deadline = session, None if timeout is None else time.monotonic() + timeout
        self.read, self.of, self.codec, self.metadata, self.given = read, of, codec, list(metadata), []
        self.value, self.error, self.done, self.cancelled, self.number = None, None, False, False, 0
    def result(self):
        with self.session._lock:
            if not self.session._lock.wait_for(lambda: self.done, left(self.deadline)): self.cancel("DEADLINE_EXCEEDED")
        if self.error: raise self.error
        return self.value
    def cancel(self, status="CANCELLED"):
        with self.session._lock:
            if not self.done:
                self.session._send("CANCEL", call=self.id)
                self.end(None, RpcError(status, "nobody waits for it any more", "UNKNOWN"))
    def end(self, value, error=None):
        if self.done and is_stream(value): threading.Thread(target=value.close, daemon=True).start()  # nobody takes it
        elif not self.done:
            self.value, self.error, self.done = value, error, True
            self.session._lock.notify_all()
            if not is_stream(value): self.session._end_given(self.given)
    def write(self, text, value):
        outer, held = parts(text)
        if outer != STREAM: return self.codec.of(text)[0](value)
        number, given = random.SystemRandom().getrandbits(63), answers(self.codec.of(held[0])[0], iter(value))
        self.given, self.session._given[number] = self.given + [number], given
        next(given)
        return var(number, 64)
    def take(self, data, text):
        outer, held = parts(text)
        if outer != STREAM: return None if text == "void" else self.codec.of(text)[1](data)
        items = self.session._items(self, self.codec.of(held[0])[1], data.var(64))
        next(items)
        return items
def answers(write, items):  # is sent questions for items, and yields answers: as many items as there are at once
    most, failure = (yield), None
    while True:
        out, count, began = b"", 0, time.monotonic()
        try:
            while count < most and len(out) < 1 << 15 and (not count or time.monotonic() < began + 0.01):
                if failure: raise failure
                out, count = out + b"\1" + write(next(items)), count + 1
        except StopIteration: yield out + b"\0\1"
        except Exception as e:
            if not count: raise
            failure = e
        most = yield out + b"\0\0"

class Service:
    """A peer's service: `service.find("pear")`, or `call("find#1", "pear", timeout=2, metadata=[("key", b"value")])`."""
    def __init__(self, session, schema, places):
        self._session, self._codec, self._places, self.schema = session, Codec(schema.types), places, schema
    def __getattr__(self, name): return lambda *arguments: self.call(name, *arguments)
    def call(self, name, *arguments, **options):  # and waits for the result; of a one-way call, for room
        call = self.begin(name, *arguments, **options)
        return None if call.of.oneway else call.result()
    def begin(self, name, *arguments, timeout=None, metadata=()):  # calls, and returns the Call
        of = [m for m in self.schema.methods if name in (m.name, f"{m.name}#{m.id}") and m.id in self._places]
        if len(of) != 1: raise refusal("UNIMPLEMENTED", f"{self.schema.service} has {len(of)} methods {name}")
        of, types = of[0], [member.type for member in of[0].parameters]
        streaming = STREAM in [parts(text)[0] for text in types + [of.result]]
        call = Call(self._session, timeout or (None if streaming else self._session.timeout), None, of, self._codec)
        call.read = lambda data: call.take(data, of.result)
        try:
            if len(arguments) != len(types): raise ValueError(f"{len(arguments)} arguments for {types}")
            body = join_metadata(b"".join(map(call.write, types, arguments)), metadata)
        except Exception as e: raise refusal("INVALID_ARGUMENT", f"{name}: {e!r}") from e
        return self._session._begin(call, self._places[of.id], body, METADATA if metadata else 0, streaming)

class Session(contextlib.AbstractContextManager):
    """A session with a server. `serve` has pairs of a Schema and an object, or dict, with its methods."""
    def __init__(self, host, port, serve=(), token="", timeout=15.0, resume_window=5.0):
        self.timeout, self._address, self._token, self._window = timeout, (host, port), token, resume_window
        self._lock, self._ended, self._draining, self._said = threading.Condition(threading.RLock()), None, None, 0
        self._key, self._epoch, self._link, self._peer, self._offers = (0, 0, 0), 0, None, None, {}
        self._kept, self._acked, self._sent, self._ever_sent = collections.deque(), 0, 0, 0
        self._received, self._owed, self._pieces, self._asked = 0, 0, None, collections.defaultdict(collections.deque)
        self._calls, self._last_id, self._under_way, self._handled = {}, 0, 0, {}
        self._given, self._taken, self._own, self._places = {}, set(), [], []
        for schema, target in [(ITEMS_TOLD, {"next": self._next}), *serve]:
            self._own.append((Offer(schema.service, 0, len(self._places), [m.id for m in schema.methods]), schema))
            codec = Codec(schema.types)
            self._places += [(codec, ITEMS if schema is ITEMS_TOLD else m, target) for m in schema.methods]
        threading.Thread(target=self._run, args=(self._open(),), daemon=True).start()
    def __exit__(self, *_): self.close()
    def close(self):  # ends the session, behind all that was sent
        with self._lock:
            self._lock.wait_for(lambda: self._ended or not self._kept, 2)
            self._say("GOODBYE")
            self._end("CANCELLED", "the session was closed on this side")
    def services(self): return sorted(set(self._offers) - {ITEMS_TOLD.service})  # the names of what the server serves
    def service(self, wanted):  # by its name, or, where a server tells none, by this end's Schema of it
        name, answer = getattr(wanted, "service", wanted), []
        shown = [Offer(name, 0, 0, [m.id for m in wanted.methods])] if name is not wanted else []
        with self._lock:
            self._asked[service_id(name)].append(answer)
            self._send("SCHEMA_REQUEST", write_body("SCHEMA_REQUEST", id=service_id(name), services=shown))
            self._wait(lambda: answer, time.monotonic() + self.timeout, "the contract of " + name)
            offer = answer[0] and self._offers.get(name)
            if not offer: raise refusal("UNIMPLEMENTED", f"the peer serves {self.services()}, not {name}")
            return Service(self, answer[0], {number: offer.place + i for i, number in enumerate(offer.methods)})
    def _wait(self, condition, deadline, what):
        came = self._lock.wait_for(lambda: self._ended or condition(), left(deadline))
        if self._ended or not came:
            raise refusal(*("UNAVAILABLE", self._ended) if self._ended else ("DEADLINE_EXCEEDED", "waited for " + what))
    def _end(self, status, why):
        with self._lock:
            self._ended = self._ended or why
            for call in self._calls.values(): call.end(None, RpcError(status, why, EXECUTION[call.number <= self._ever_sent]))
            for call in self._handled.values(): call.cancelled = True
            self._end_given(self._given)
            self._drop()
            self._lock.notify_all()
    def _drop(self):
        link, self._link = self._link, None
        with contextlib.suppress(OSError, AttributeError): link.shutdown(socket.SHUT_WR if self._ended else socket.SHUT_RDWR)
    def _open(self):  # greets the server over a new connection; returns the frames that it sends
        link = socket.create_connection(self._address, self.timeout)
        try:
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._epoch += 1
            hello = write_body("HELLO", oldest=VERSION, newest=VERSION, features=0, kept=0, received=self._received,
                               maxMessageBytes=MAX_MESSAGE, maxFrameBytes=MAX_FRAME, maxCalls=MAX_CALLS, token=self._token,
                               services=[offer for offer, _ in self._own], **dict(zip(("id", "high", "low"), self._key)))
            send_frame(link, Frame("HELLO", 0, self._epoch, 0, 0, self._epoch, 0, 0, hello))
            frames, until = frames_of(link), time.monotonic() + self.timeout
            answer = next(frame for frame in frames if frame or time.monotonic() > until)
            if not answer or answer.kind not in ("WELCOME", "REFUSED"): raise ConnectionError("the greeting was not answered")
            fields = read_body(answer.kind, In(answer.body))
            if answer.kind == "REFUSED": raise RpcError(status_of(fields), fields.message, EXECUTION[fields.unknown])
            with self._lock:
                if not self._key[0]: self._offers = {offer.name: offer for offer in fields.services}
                self._key, self._peer = (fields.id, fields.high, fields.low), fields
                if fields.received < self._acked: raise WireError("the server has forgotten frames")
                self._acknowledge(fields.received)
                self._sent, self._link = fields.received, link
                self._pump()
            return frames
        except BaseException:
            link.close()
            raise
    def _run(self, frames):
        while frames:
            idle, beat = 0, max(2000, self._peer.get("ping", 0)) // 20  # of 20 ms each
            try:
                for frame in frames:
                    idle = 0 if frame else idle + 1
                    if frame: self._take(frame)
                    elif idle > 3 * beat: raise ConnectionError("no sign of life from the peer")
                    elif idle % beat == 0: self._say("PING")
                    if self._owed and (not frame or self._owed > 63): self._say("ACK")
            except BROKEN as e: self._end("PROTOCOL_ERROR", str(e))
            except OSError as e: frames = self._resume(e)
            frames = None if self._ended else frames
    def _resume(self, why):
        with self._lock: self._drop()
        until = time.monotonic() + self._window
        while time.monotonic() < until and not self._ended:
            try: return self._open()
            except (OSError, ValueError, RpcError) as e: why = e
            if isinstance(why, ValueError) or getattr(why, "execution", "") == "UNKNOWN": break
            time.sleep(0.05)
        return self._end("UNAVAILABLE", f"the session is lost: {why}")
    def _emit(self, kind, number=0, flags=0, call=0, place=0, about=ONES, body=b""):
        try:
            send_frame(self._link, Frame(kind, flags, self._epoch, number, self._received, about, call, place, body))
            self._owed = 0
        except OSError: self._drop()
    def _say(self, kind):
        with self._lock:
            if self._link: self._emit(kind)
    def _send(self, kind, body=b"", call=0, place=0, flags=0, deadline=None):  # returns the number of its last frame
        most = min(MAX_FRAME, self._peer.maxFrameBytes) - HEADER.size
        if len(body) > most: body, flags = struct.pack(">i", len(body)) + body, flags | FIRST
        for start in range(0, len(body) or 1, most):
            self._kept.append((kind, flags, call, place, deadline, body[start:start + most]))
            kind, flags, deadline = "FRAGMENT", 0, None
        self._pump()
        return self._acked + len(self._kept)
    def _pump(self):
        while self._link and self._sent - self._acked < min(len(self._kept), MOST_SENT):
            kind, flags, call, place, deadline, body = self._kept[self._sent - self._acked]
            self._sent, self._ever_sent = self._sent + 1, max(self._ever_sent, self._sent + 1)
            about = ONES if deadline is None else min(ONES, int(left(deadline) * 1e6))
            self._emit(kind, self._sent, flags, call, place, about, body)
    def _acknowledge(self, number):
        if number > self._ever_sent: raise WireError(f"frame {number} was acknowledged and never sent")
        for _ in range(self._acked, number): self._kept.popleft()
        self._acked, self._sent = max(self._acked, number), max(self._sent, number)
        self._lock.notify_all()
        self._pump()
    def _take(self, frame):
        with self._lock:
            kind, body = frame.kind, frame.body
            if frame.link != self._epoch & 255: raise WireError(f"a frame of link {frame.link}")
            self._acknowledge(near(self._acked, frame.acked))
            if kind == "PING": return self._say("PONG")
            if kind == "GOODBYE": return self._end("UNAVAILABLE", "the peer has closed the session")
            if kind in ("ACK", "PONG", "BULK_PROGRESS"): return None
            self._owed, number = self._owed + 1, near(self._received, frame.number)
            if number <= self._received: return None  # sent again, although it had come
            if number > self._received + 1 or (kind == "FRAGMENT") != (self._pieces is not None):
                raise WireError(f"{kind} with number {number} came after frame {self._received}")
            self._received = number
            if frame.flags & FIRST: self._pieces, body = (frame, int.from_bytes(body[:4], "big"), bytearray()), body[4:]
            if self._pieces:
                frame, length, whole = self._pieces
                whole += body
                if not body or length > MAX_MESSAGE or len(whole) > length:
                    raise WireError(f"{len(whole)} bytes of a message of {length}, where {MAX_MESSAGE} are taken")
                if len(whole) < length: return None
                body, self._pieces = bytes(whole), None
            return self._message(frame.kind, frame, body)
    def _message(self, kind, frame, body):
        fields = None if kind in ("FAILURE", "DECLARED_ERROR") else read_body(kind, In(body))
        if kind in ("REQUEST", "ONEWAY"): self._requested(kind, frame, body)
        elif kind in ("RESULT", "FAILURE", "DECLARED_ERROR"): self._answered(kind, frame, body)
        elif kind == "CANCEL" and frame.call in self._handled: self._handled[frame.call].cancelled = True
        elif kind == "ONEWAY_DONE": self._under_way -= fields.done
        elif kind == "SERVICES": self._offers.update({offer.name: offer for offer in fields.services})
        elif kind == "SCHEMA" and self._asked[fields.id]: self._asked[fields.id].popleft().append(fields.get("schema"))
        elif kind == "SCHEMA_REQUEST":
            schema = next((schema for offer, schema in self._own if service_id(offer.name) == fields.id), None)
            self._send("SCHEMA", write_body("SCHEMA", id=fields.id, served=schema is not None, schema=schema))
        elif kind == "DRAINING": self._draining = fields.message or "…"
        elif kind in ("BULK_FETCH", "BULK_OFFER", "BULK_GRANT"): self._refuse_bulk(frame.call, "UNIMPLEMENTED")
        elif kind not in ("CANCEL", "UPGRADE_OFFER", "UPGRADE_DECLINED") and not kind.startswith("BULK"):
            raise WireError(kind + " to a client")
        self._say_last_call()
        self._lock.notify_all()
    def _say_last_call(self):
        asks = self._taken or any(call.streaming for call in self._calls.values())
        if self._draining and not self._said and not asks: self._said = self._send("LAST_CALL")
    def _refuse_bulk(self, number, status):
        self._send("BULK_CANCEL", write_body("BULK_CANCEL", status=STATUS.index(status), message="no bulk here"), number)
        return status
    def _begin(self, call, place, body, flags=0, streaming=False):
        with self._lock:
            self._wait(lambda: self._under_way < self._peer.maxCalls, call.deadline, "a place among the calls under way")
            if len(body) > self._peer.maxMessageBytes: raise refusal("INVALID_ARGUMENT", "it is longer than the peer takes")
            if self._draining and call.of is not ITEMS: raise refusal("UNAVAILABLE", "the peer shuts down: " + self._draining)
            self._under_way, self._last_id = self._under_way + 1, self._last_id + 1
            call.id, call.streaming = self._last_id, streaming
            if not call.of.oneway: self._calls[call.id] = call
            kind, deadline = ("ONEWAY", None) if call.of.oneway else ("REQUEST", call.deadline)
            call.number = self._send(kind, body, call.id, place, flags, deadline)
        return call
    def _answered(self, kind, frame, body):
        call = self._calls.pop(frame.call, None)
        if call is None: raise WireError(f"a reply to call {frame.call}, which does not exist")
        self._under_way -= 1
        try: call.end(self._outcome(call, kind, frame, body))
        except RpcError as e: call.end(None, e)
        except BROKEN as e: call.end(None, RpcError("PROTOCOL_ERROR", f"its reply cannot be decoded: {e!r}"))
    def _outcome(self, call, kind, frame, body):
        if frame.flags & PARTS:
            self._refuse_bulk(frame.call << 3 | 7, "RESOURCE_EXHAUSTED")
            raise RpcError("RESOURCE_EXHAUSTED", "its result has values beside it, as bulk: raise largeValueBytes there")
        body, call.metadata = split_metadata(frame.flags, body)
        data = In(body)
        if kind == "RESULT": return call.read(data)
        fields = read_body(kind, data)
        if kind == "FAILURE":
            execution = EXECUTION[fields.execution if fields.execution in (0, 2) else 1]
            raise RpcError(status_of(fields), fields.message, execution, fields.type)
        if not 0 <= fields.index < len(call.of.errors): raise RpcError("INTERNAL", fields.words, remote_type=fields.type)
        error = call.of.errors[fields.index]
        raise declared(error)(call.codec.of(error)[1](data))
    def _ask(self, number, most, deadline, read):
        with self._lock:
            self._wait(lambda: ITEMS_TOLD.service in self._offers, deadline, "the peer's verbena.streams")
            call = Call(self, left(deadline), read, ITEMS)
            return self._begin(call, self._offers[ITEMS_TOLD.service].place, var(number, 64) + var(most))
    def _items(self, call, read, number):  # yields None, then the items of a stream of the peer's; `close()` ends it
        def items(data):
            some = []
            while data.boolean(): some.append(read(data))
            return some, data.boolean()
        over = self._taken.add(number)
        try:
            yield None
            while not over:
                over = True  # if there is no answer
                some, over = self._ask(number, MOST_ITEMS, call.deadline, items).result()
                yield from some
        finally:
            with self._lock:
                if not over and not self._ended: self._ask(number, 0, None, lambda data: None)
                self._taken.discard(number)
                self._end_given(call.given)
                self._say_last_call()
    def _requested(self, kind, frame, body):
        codec, of, target = self._places[frame.place] if frame.place < len(self._places) else (None, None, None)
        refused = "UNIMPLEMENTED" if not of or of.oneway != (kind == "ONEWAY") else "" if frame.about else "DEADLINE_EXCEEDED"
        if frame.flags & PARTS: refused = self._refuse_bulk(frame.call << 3 | 4, "RESOURCE_EXHAUSTED")
        if frame.call in self._handled or len(self._handled) >= MAX_CALLS:
            raise WireError(f"call {frame.call} twice, or more than {MAX_CALLS} at once")
        body, metadata = split_metadata(0 if refused else frame.flags, body)
        call = Call(self, None if frame.about == ONES else frame.about / 1e6, None, of, codec, metadata)
        call.id, self._handled[frame.call] = frame.call, call
        threading.Thread(target=self._handle, args=(kind, call, target, In(body), refused), daemon=True).start()
    def _handle(self, kind, call, target, data, refused):
        context.call, of = call, call.of
        try:
            if refused: raise refusal(refused, "not taken")
            try: arguments = [call.take(data, member.type) if data.at < data.end else call.codec.default(member)
                              for member in of.parameters]
            except BROKEN as e: raise refusal("INVALID_ARGUMENT", str(e)) from e
            result = (target[of.name] if isinstance(target, dict) else getattr(target, of.name))(*arguments)
            outcome = "RESULT", b"" if of.result == "void" else result if of is ITEMS else call.write(of.result, result)
        except Exception as e: outcome = failure(e, call)  # handlers may raise anything
        with self._lock:
            self._handled.pop(call.id, None)
            if kind == "ONEWAY":
                outcome = "ONEWAY_DONE", write_body("ONEWAY_DONE", done=1, dropped=1 if refused else 0, why=refused)
            self._send(*outcome, call=call.id if kind == "REQUEST" else 0)
    def _next(self, number, most):  # a question for items of a stream that this end sends
        given = self._given.get(number)
        if most == 0: return self._end_given([number]) or b""
        if given is None or not 0 < most <= 256: raise RpcError("UNAVAILABLE", "the stream has ended")
        answer = given.send(most)
        if context.call.cancelled or answer.endswith(b"\0\1"): self._end_given([number])
        return answer
    def _end_given(self, numbers):
        for number in list(numbers): self._given.pop(number, None)
def status_of(fields): return STATUS[fields.status if 0 < fields.status < len(STATUS) else 10]
def failure(e, call):  # how a call is answered whose handler has raised
    if isinstance(e, DeclaredError) and e.type in call.of.errors:
        words = write_body("DECLARED_ERROR", index=call.of.errors.index(e.type), type=e.type, words=e.message)
        return "DECLARED_ERROR", words + call.codec.of(e.type)[0](e.details)
    if type(e) is not RpcError: e = RpcError("INTERNAL", str(e), remote_type=type(e).__name__)
    return "FAILURE", write_body("FAILURE", status=STATUS.index(e.status), execution=EXECUTION.index(e.execution),
                                 type=e.remote_type, message=e.message)
connect = Session
