# Calls the server at sys.argv[1] by grpcio.
import sys

import grpc

channel = grpc.insecure_channel(sys.argv[1])

echo = channel.unary_unary('/judge/echo')
answer, call = echo.with_call(bytes(50000), metadata=(('x-echo', 'hello'), ('x-echo-bin', bytes([1, 2, 3]))))
print('echo', len(answer), dict(call.initial_metadata())['x-echo'], dict(call.trailing_metadata())['x-echo-bin'].hex())

messages = list(channel.unary_stream('/judge/count')(b'20'))
print('count', len(messages), sum(len(message) for message in messages))

try:
    channel.unary_unary('/judge/fail')(b'', timeout=20)
except grpc.RpcError as error:
    print('fail', error.code().value[0], error.details())
try:
    channel.unary_unary('/judge/wait')(b'', timeout=0.1)
except grpc.RpcError as error:
    print('wait', error.code().value[0])
