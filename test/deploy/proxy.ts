import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { findFreePort } from '../support/free-port.ts';
import { ROOT } from '../tidy/sources.ts';

/** A proxy in front of a server on this machine. */
export interface Proxy {
  readonly port: number;
  /** The certificate by which clients know it. */
  readonly certificate: string;
  /** Ends it. */
  stop(): Promise<void>;
}

/** Starts a proxy with its sample configuration, changed only where another machine has other names. */
export type StartProxy = (folder: string, upstreamPort: number) => Promise<Proxy>;

/** The host that the certificates of the tests are for. */
export const HOST = 'localhost';

/** Whether a command is installed; the tests need it where EVENT_QUERY_PROXIES says so. */
export function hasProxy(command: string): boolean {
  const { status } = spawnSync('sh', ['-c', `command -v ${command}`]);
  if (status === 0 || process.env.EVENT_QUERY_PROXIES === 'required') return true;
  console.warn(`SKIPPED: ${command} is not installed, so deploy/ is not tried with it`);
  return false;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Replaces texts of a sample; throws an Error where one is not there. */
function adapt(sample: string, changes: readonly (readonly [string, string])[]): string {
  return changes.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the sample has no ${JSON.stringify(from)}`);
    return text.replaceAll(from, to);
  }, sample);
}

/** Starts nginx with its sample of deployment, or with `change` of it, and a certificate made by openssl. */
export function startNginx(
  folder: string,
  upstreamPort: number,
  change: (config: string) => string = (config) => config,
): Promise<Proxy> {
  return startWith('nginx', (port) => {
    const [certificate, key] = [join(folder, 'nginx.pem'), join(folder, 'nginx.key')];
    const made = spawnSync('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
      ...['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST}`],
      ...['-keyout', key, '-out', certificate],
    ]);
    if (made.status !== 0) throw new Error(String(made.stderr));
    const sample = adapt(readFileSync(`${ROOT}adapters/cli/deploy/nginx.conf`, 'utf8'), [
      ['server 127.0.0.1:8787', `server 127.0.0.1:${upstreamPort}`],
      ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
      ['events.example.com;', `${HOST};`],
      ['/etc/ssl/events.example.com.pem', certificate],
      ['/etc/ssl/private/events.example.com.key', key],
      ['/var/log/nginx/event-query.log', join(folder, 'nginx-access.log')],
    ]);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((kind) => `${kind}_temp_path ${join(folder, `nginx-${kind}`)};`)
      .join('\n');
    const config = join(folder, 'nginx.conf');
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    writeFileSync(
      config,
      `daemon off; worker_processes 1; ${user} pid ${join(folder, 'nginx.pid')};
      error_log ${join(folder, 'nginx-error.log')};
      events { worker_connections 4096; }
      http { ${temporary}\n${change(sample)} }`,
    );
    const args = ['-p', folder, '-c', config];
    return { command: 'nginx', args: [...args, '-e', join(folder, 'nginx-error.log')], certificate };
  });
}

/** Starts Caddy with adapters/cli/deploy/Caddyfile and a certificate of an authority that it makes. */
export const startCaddy: StartProxy = (folder, upstreamPort) =>
  startWith('caddy', (port) => {
    const data = join(folder, 'caddy-data');
    mkdirSync(data, { recursive: true });
    const sample = adapt(readFileSync(`${ROOT}adapters/cli/deploy/Caddyfile`, 'utf8'), [
      ['reverse_proxy 127.0.0.1:8787', `reverse_proxy 127.0.0.1:${upstreamPort}`],
      ['events.example.com {', `https://${HOST}:${port} {\n\ttls internal\n\tbind 127.0.0.1`],
    ]);
    const config = join(folder, 'Caddyfile');
    writeFileSync(
      config,
      `{\n\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n}\n${sample}`,
    );
    return {
      command: 'caddy',
      args: ['run', '--config', config, '--adapter', 'caddyfile'],
      env: { XDG_DATA_HOME: data, XDG_CONFIG_HOME: data, HOME: folder },
      certificate: join(data, 'caddy/pki/authorities/local/root.crt'),
    };
  });

async function startWith(
  name: string,
  prepare: (port: number) => {
    readonly command: string;
    readonly args: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
    readonly certificate: string;
  },
): Promise<Proxy> {
  const port = await findFreePort();
  const { command, args, env, certificate } = prepare(port);
  const child = spawn(command, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  });
  running.add(child);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = once(child, 'close').then(() => running.delete(child));
  while (!((await accepts(port)) && existsSync(certificate))) {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${said}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    port,
    certificate,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/**
 * Whether a port speaks TLS, since Caddy accepts connections before it has its certificate; or plain HTTP,
 * where a test has changed the sample.
 */
function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { port, host: '127.0.0.1', servername: HOST, rejectUnauthorized: false };
    const socket = connect(options, () => resolve(true));
    socket
      .once('error', ({ message }: Error) => resolve(message.includes('wrong version number')))
      .once('secureConnect', () => socket.destroy());
  });
}
