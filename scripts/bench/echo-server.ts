import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

// The least that an HTTP server on Node can do with a request: what the gateway's throughput is measured against.
const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const body = Buffer.concat(parts);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  });
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ url: `http://127.0.0.1:${port}/` });
});
process.once('disconnect', () => process.exit());
