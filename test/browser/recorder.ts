import { Agent, createServer, request, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a page's browser made, and its answer. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly origin: string;
  /** The method and the headers that a preflight asks for. */
  readonly asksFor: string;
  readonly contentType: string;
  /** All headers, in their order, without the connection's own. */
  readonly headers: string;
  readonly body: string;
  readonly status: number;
  readonly answer: IncomingHttpHeaders;
  /** The body of the answer. */
  readonly text: string;
}

/** A proxy in front of a server, as there is one with TLS elsewhere, that tells what went through it. */
export interface Recorder {
  readonly origin: string;
  readonly exchanges: readonly Exchange[];
  /**
   * Loses the next answer to a batch, or to events of another path: the server has stored them, and the
   * connection ends.
   */
  loseAnswer(path?: 'multi' | 'properties' | 'snapshot'): void;
  close(): void;
}

/** Starts a proxy in front of an origin. */
export async function startRecorder(target: string): Promise<Recorder> {
  const exchanges: Exchange[] = [];
  let losing: string | undefined;
  // A connection for each request: one that is kept may be closed by the server just as it is used again, and
  // the request would be lost by the recorder, not by who is tried.
  const agent = new Agent({ keepAlive: false });
  const server = createServer((req, res) => {
    const { method = '', url: path = '', headers } = req;
    let body = '';
    req.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    const forward = request(target + path, { agent, method, headers }, (answer) => {
      const asksFor = [headers['access-control-request-method'], headers['access-control-request-headers']];
      const pieces: Buffer[] = [];
      const told = {
        method,
        path,
        origin: headers.origin ?? '',
        asksFor: asksFor.filter((each) => each !== undefined).join(' '),
        contentType: headers['content-type'] ?? '',
        headers: req.rawHeaders.join('\n'),
        body,
        status: answer.statusCode ?? 502,
        answer: answer.headers,
      };
      const isLost = losing !== undefined && method === 'POST' && path.endsWith(`/${losing}`);
      if (isLost) losing = undefined;
      else res.writeHead(told.status, answer.headers);
      // Not piped: an answer whose page is gone is told, too.
      answer.on('data', (piece: Buffer) => {
        pieces.push(piece);
        if (!isLost) res.write(piece);
      });
      answer.once('end', () => {
        exchanges.push({ ...told, text: Buffer.concat(pieces).toString() });
        if (isLost) req.socket.destroy();
        else res.end();
      });
    });
    forward.on('error', () => res.destroy());
    req.pipe(forward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    loseAnswer: (path = 'multi') => void (losing = path),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
