"""Reads the corpus of frames with the client in Python, and writes each anew: golden.py CLIENT-DIRECTORY CORPUS."""
import decimal
import hashlib
import json
import sys
import uuid

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import verbena


def plain(value):
    """Returns a value as JSON has it."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, (decimal.Decimal, uuid.UUID)):
        return str(value)
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, (list, tuple)) else value


def hash_of(schema):
    """Returns a contract's hash, as the page says."""
    def text(value):
        if isinstance(value, list):
            return "[" + ", ".join(map(text, value)) + "]"
        if isinstance(value, tuple):
            return f"{type(value).__name__}[{', '.join(f'{k}={text(v)}' for k, v in value._asdict().items())}]"
        return str(value).lower() if isinstance(value, bool) else str(value)
    return int.from_bytes(hashlib.sha256(text(schema).encode()).digest()[:8], "big", signed=True)


def check(what, found, expected):
    if found != expected:
        raise SystemExit(f"{what}: {found!r} instead of {expected!r}")


def frames(path):
    for block in open(path, encoding="utf-8").read().strip().split("\n\n"):
        name, *lines = block.split("\n")
        yield name, [line.strip().split(" ", 1) for line in lines]


def read_values(codec, data, types):
    return [codec.of(text)[1](data) for text in types]


def take(name, kind, found, frame, contract):
    """Compares a body with what is to be found in it; returns it written anew, and what reads it."""
    codec = verbena.Codec(contract.types if contract else ())
    body, metadata = verbena.split_metadata(frame.flags, frame.body)
    if kind == "body":
        read = lambda data: verbena.read_body(frame.kind, verbena.In(data))
        check(name, plain(read(body)), json.loads(found))
        return verbena.write_body(frame.kind, **read(body)), read
    if kind == "schema":
        read = lambda data: verbena.read_body("SCHEMA", verbena.In(data))
        check(name, hash_of(read(body).schema), int(found))
        return verbena.write_body("SCHEMA", **read(body)), read
    decoder = json.JSONDecoder()
    if kind == "values":
        types, at = decoder.raw_decode(found)
        expected, length = decoder.raw_decode(found[at + 1:])
        rest = found[at + 1 + length + 1:]
        check(name, plain(metadata), json.loads(rest) if rest else [])
    else:
        of = next(m for m in contract.methods if m.name == found.split(" ")[0])
        expected = json.loads(found.split(" ", 1)[1])
        types = [m.type for m in of.parameters]
        if kind == "result":
            types, expected = [of.result], [expected]
        elif kind == "error":
            types, expected = ["varint", verbena.TEXT, verbena.TEXT, of.errors[0]], [0, None, None, expected]
    read = lambda data: read_values(codec, verbena.In(data), types)
    values = read(body)
    check(name, [v if e is not None or t != verbena.TEXT else None for v, e, t in zip(plain(values), expected, types)], expected)
    written = b"".join(codec.of(text)[0](value) for text, value in zip(types, values))
    return verbena.join_metadata(written, metadata), read


contract, count, cuts = None, 0, 0
everything = list(frames(sys.argv[2]))
for name, lines in everything:
    if lines[1][0] == "schema":
        contract = verbena.read_body("SCHEMA", verbena.In(bytes.fromhex(lines[2][1])[verbena.HEADER.size:])).schema
for name, ((_, header), (kind, found), (_, text)) in everything:
    data = bytes.fromhex(text)
    frame = verbena.parse(data)
    check(name + ", header", [frame.kind, *map(str, frame[1:8])], header.split(" "))
    body, read = take(name, kind, found, frame, contract)
    check(name + ", written anew", verbena.build(frame._replace(body=body)).hex(), text)
    count += 1
    for end in range(len(frame.body)):  # what is cut off, or says a length that it has not, is malformed or a shorter value
        for broken in (frame.body[:end], frame.body[:end] + b"\xff\xff\xff\xff\x07" + frame.body[end + 5:]):
            try:
                read(broken)
            except ValueError:
                cuts += 1
print(f"{count} frames, {cuts} malformed")
