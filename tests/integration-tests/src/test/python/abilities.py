"""Does one thing with the client in Python, and prints what came of it: abilities.py CLIENT-DIRECTORY PORT ABILITY."""
import json
import sys
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import verbena
from verbena import Member, Method, Schema, Type

CONTRACT = "io.verbena.it.wire.Nursery"
TOO_LARGE, NO_SUCH_PLANT = CONTRACT + ".TooLarge", CONTRACT + ".NoSuchPlant"
VISITOR = Schema("visitor.v1", [
    Method(1, "square", False, [Member("number", "long", True)], "long", [TOO_LARGE]),
    Method(2, "told", True, [Member("words", verbena.TEXT, False)], "void", []),
    Method(3, "counted", False, [Member("last", "long", True)], verbena.STREAM + "<long>", [])],
    [Type(TOO_LARGE, "RECORD", [Member("message", verbena.TEXT + "?", True), Member("most", "long", True)])])
FINDS = Schema("nursery.v1", [
    Method(4, "once", False, [Member("number", "long", True)], "int", [])], [])


class Visitor:
    """What the server calls."""

    def __init__(self):
        self.words = []

    def square(self, number):
        if number > 1000:
            raise verbena.declared(TOO_LARGE)({"message": f"{number} is too large", "most": 1000})
        if number < 0:
            raise KeyError("negative")
        return number * number

    def told(self, words):
        self.words.append(words)

    def counted(self, last):
        return range(1, last + 1)


def say(*values):
    print(json.dumps(values if len(values) != 1 else values[0]), flush=True)


def failure(does):
    try:
        return ["no failure", does()]
    except verbena.RpcError as e:
        return [e.status, e.execution, e.message]


def calls(session, nursery):
    say(session.services())
    say(nursery.find("verbena"))
    numbers = list(range(40_000))  # its message takes some frames, each way
    say(nursery.reversed(numbers) == numbers[::-1])
    say(nursery.call("described", "request-id", metadata=[("request-id", b"7f3a"), ("request-id", b"b")]))
    calls = [nursery.begin("once", number) for number in range(1000)]  # more than may be under way
    say(sum(call.result() for call in calls))
    say(failure(lambda: nursery.call("find", 7)), failure(lambda: nursery.nothing()), failure(lambda: session.service("none")))


def declared(session, nursery):
    try:
        nursery.find("triffid")
    except verbena.declared(NO_SUCH_PLANT) as e:
        say(type(e).__name__, str(e), e.details)


def oneway(session, nursery):
    for number in range(2000):
        nursery.note(number)
    while nursery.noted()[0] < 2000:
        pass
    say(nursery.noted())


def callbacks(session, nursery):
    say(nursery.askBack([1, 2, 1001, -1]))
    say(visitor.words)


def streams(session, nursery):
    say(sum(nursery.countTo(1000)), nursery.total(range(1000)), list(nursery.doubled(iter([1, 2, 3]))))
    say(nursery.totalOfVisitor(1000))
    some = []
    say(failure(lambda: some.extend(item for item in nursery.broken(3))))
    endless = nursery.countTo(1 << 40)
    say(next(endless), next(endless))
    endless.close()
    say(failure(lambda: nursery.total(1 / number for number in (1, 0)))[:2])


def time(session, nursery):
    status, execution, _ = failure(lambda: nursery.call("sleep", timeout=1))
    say(status, execution in ("UNKNOWN", "EXECUTED"))  # its own clock or the server's answer comes first
    call = nursery.begin("sleep")
    call.cancel()
    say(failure(call.result)[:2])
    nursery.awaitInterrupted(2)
    say("both were interrupted")


def resume(session, nursery):
    answers = []
    threads = [threading.Thread(target=lambda first: answers.extend(nursery.once(first + i) for i in range(300)), args=(k * 1000,))
               for k in range(4)]
    for thread in threads:
        thread.start()
    for number in range(3000):
        nursery.note(number)
    say(sum(nursery.countTo(20_000)), list(nursery.doubled(range(3000))) == [2 * i for i in range(3000)])
    numbers = list(range(2_000))
    say(all(nursery.reversed(numbers) == numbers[::-1] for _ in range(10)), nursery.totalOfVisitor(10_000))
    for thread in threads:
        thread.join()
    while nursery.noted()[0] < 3000:
        pass
    say(len(answers), sorted(set(answers)), nursery.noted(), session._epoch > 5)


def bulk(session, nursery):
    say(len(nursery.blob(10_000)))
    say(failure(lambda: nursery.blob(100_000))[:2])
    say(nursery.once(1))


def untold(session, nursery):
    say(session.services(), nursery.once(1))


def drain(session, nursery):
    items = nursery.countTo(200)
    say(next(items))
    sys.stdin.readline()  # the server drains
    while not session._draining:
        pass
    say(failure(lambda: nursery.once(1))[:2], sum(items))
    with session._lock:
        session._lock.wait_for(lambda: session._ended, 10)
    say(session._ended)


ability = sys.argv[3]
visitor = Visitor()
try:
    with verbena.connect("127.0.0.1", int(sys.argv[2]), serve=[(VISITOR, visitor)], timeout=10) as opened:
        globals()[ability](opened, opened.service(FINDS if ability == "untold" else "nursery.v1"))
except (ValueError, verbena.RpcError) as e:
    say(type(e).__name__, str(e))
