// Calls the server at process.argv[2] by @grpc/grpc-js.
const grpc = require('@grpc/grpc-js');

const client = new grpc.Client(process.argv[2], grpc.credentials.createInsecure());
const raw = bytes => bytes;
const call = (name, request, deadline, done) =>
  client.makeUnaryRequest('/judge/' + name, raw, raw, request, new grpc.Metadata(), {deadline: Date.now() + deadline}, done);

const headers = new grpc.Metadata();
headers.set('x-echo', 'hello');
headers.set('x-echo-bin', Buffer.from([1, 2, 3]));
let initial, trailing, length;
client
  .makeUnaryRequest('/judge/echo', raw, raw, Buffer.alloc(50000), headers, {}, (error, answer) => {
    length = error ? error.message : answer.length;
  })
  .on('metadata', all => { initial = all.get('x-echo')[0]; })
  .on('status', status => {
    console.log('echo', length, initial, status.metadata.get('x-echo-bin')[0].toString('hex'));
    count();
  });

function count() {
  let messages = 0, bytes = 0;
  client.makeServerStreamRequest('/judge/count', raw, raw, Buffer.from('20'), new grpc.Metadata(), {})
    .on('data', message => { messages++; bytes += message.length; })
    .on('error', error => console.log('count', error.message))
    .on('end', () => {
      console.log('count', messages, bytes);
      call('fail', Buffer.alloc(0), 20000, error => {
        console.log('fail', error.code, error.details);
        call('wait', Buffer.alloc(0), 100, late => {
          console.log('wait', late.code);
          client.close();
        });
      });
    });
}
