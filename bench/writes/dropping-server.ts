import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Reads bodies, drops them, and says that all is well. */
const ANSWER = '{"accepted":5,"duplicates":0,"rejected":[]}\n';
const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': ANSWER.length };
    response.writeHead(200, headers).end(ANSWER);
  });
});
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port));
