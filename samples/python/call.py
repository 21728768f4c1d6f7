"""Calls a server from the shell, as `verbena call` does: call.py HOST:PORT SERVICE.METHOD [JSON-ARRAY]."""
import base64
import json
import sys

import verbena


def shown(types, text, value):
    """Returns a value as JSON has it; times but dates are shown as the numbers that they are on the wire."""
    outer, held = verbena.parts(text)
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if text == "java.time.LocalDate":
        return "%04d-%02d-%02d" % value
    if text in types and types[text].kind == "SEALED":
        (label, inner), = value.items()
        return {label: shown(types, next(m.type for m in types[text].members if m.type.endswith("." + label)), inner)}
    if text in types:
        return {m.name: shown(types, m.type, value[m.name]) for m in types[text].members}
    if outer in verbena.MAYBE:
        return shown(types, held[0], value)
    if isinstance(value, list):
        return [shown(types, held[0], one) for one in value]
    return {key: shown(types, held[1], one) for key, one in value.items()} if isinstance(value, dict) else str(value)


def main(address, target, arguments="[]"):
    host, port = address.rsplit(":", 1)
    name, method = target.rsplit(".", 1)
    with verbena.connect(host, int(port)) as session:
        service = session.service(name)
        types = {one.name: one for one in service.schema.types}
        result = next(m.result for m in service.schema.methods if m.name == method)
        try:
            value = service.call(method, *json.loads(arguments))
            if verbena.parts(result)[0] == verbena.STREAM:
                for item in value:
                    print(json.dumps(shown(types, verbena.parts(result)[1][0], item), separators=(",", ":")))
            elif value is not None:
                print(json.dumps(shown(types, result, value), indent=2))
        except verbena.RpcError as e:
            why = {"status": e.status, "message": e.message, "type": e.remote_type, "execution": e.execution}
            if isinstance(e, verbena.DeclaredError):
                why["details"] = shown(types, e.type, e.details)
            print(json.dumps({key: value for key, value in why.items() if value}, indent=2), file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
