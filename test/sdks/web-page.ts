import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** A page of another origin than the API, with a web SDK. */
export interface WebPage {
  readonly origin: string;
  close(): void;
}

/** Serves at any path a page that runs a module, bundled with the SDK that it imports. */
export async function startWebPage(contents: string): Promise<WebPage> {
  const { outputFiles } = await build({
    stdin: {
      contents,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
    },
    ...{ bundle: true, write: false, format: 'iife', platform: 'browser', logLevel: 'silent' },
  });
  const script = outputFiles[0]!.text;
  const server = createServer(({ url }, res) => {
    if (url === '/sdk.js') res.writeHead(200, { 'Content-Type': 'text/javascript' }).end(script);
    else if (url === '/favicon.ico') res.writeHead(204).end();
    else
      res
        .writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' })
        .end('<!doctype html><title>A shop</title><script src="/sdk.js"></script>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
