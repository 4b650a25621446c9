import cluster from 'node:cluster';
import { chmodSync } from 'node:fs';
import type { Api, HttpHandler, ServedApi } from '../../../src/index.ts';
import { withDashboard } from '../../dashboard/index.ts';
import { createNodeServer, DEFAULT_LIMITS } from '../../node-http/index.ts';
import { withMetrics, type MetricsSource } from '../../prometheus/index.ts';
import { failure } from '../process/errors.ts';
import type { ServerOptions } from '../options/server-options.ts';
import { boundConnections } from './descriptors.ts';
import { describeListenError, describeSocketError, toLocalHost, toSocketUrl, toUrl } from '../values/urls.ts';
import { makeRoomFor } from './unix-socket.ts';

/** Where a server listens. */
export interface Listening {
  /** The URL of the API. */
  readonly url: string;
  /** The URL of the dashboard on this machine; absent when it is not served. */
  readonly dashboardUrl?: string | undefined;
  /** The URL of the metrics on this machine; absent when they are not served. */
  readonly metricsUrl?: string | undefined;
}

/** A listening server, or two with an admin port. */
export interface Listener extends Listening {
  /** A URL that reaches the API from this machine, also when it listens on all addresses. */
  readonly localUrl: string;
  /** How many requests it has begun to answer, those of the admin port included. */
  requests(): number;
  /** Lets each answer be the last of its connection from now on. */
  drain(): void;
  close(options: { readonly idleMs?: number | undefined }): Promise<void>;
}

/** Who may connect to a Unix socket: the user of the server and its group, as the proxy in front. */
const SOCKET_MODE = 0o660;

/**
 * Listens for the API, and for the dashboard if it is enabled; on the admin port for the metrics too, if they
 * are given. Throws an Error of one line.
 */
export async function listenAt(options: ServerOptions, api: Api, metrics?: MetricsSource): Promise<Listener> {
  const { host, port, socket, dashboard = false, dashboardUrl, trustProxy, sdkHosts } = options;
  const { adminPort, adminHost, adminNames = [] } = options;
  let requests = 0;
  const isShared = dashboard && adminPort === undefined;
  const shared = isShared ? withDashboard(api, { origin: dashboardUrl }) : api;
  const first =
    socket === undefined ? await listen(shared, host, port, sdkHosts) : await listenOn(shared, socket);
  const localUrl = socket === undefined ? toUrl(toLocalHost(host), first.port) : first.url;
  if (adminPort === undefined || (!dashboard && metrics === undefined)) {
    return { ...first, localUrl, dashboardUrl: isShared ? localUrl : undefined, requests: () => requests };
  }
  const pages = dashboard ? withDashboard(api, { origin: dashboardUrl, apiUrl: localUrl }) : undefined;
  const beside = pages ?? { resources: api.resources };
  const served =
    metrics === undefined ? pages! : withMetrics(beside, metrics, { names: [adminHost, ...adminNames] });
  const second = await listen(served, adminHost, adminPort).catch(async (error: unknown) => {
    await first.close({});
    throw error;
  });
  const adminUrl = toUrl(toLocalHost(adminHost), second.port);
  return {
    ...{ url: first.url, localUrl, dashboardUrl: dashboard ? adminUrl : undefined },
    metricsUrl: metrics && `${adminUrl}/metrics`,
    requests: () => requests,
    drain: () => {
      first.drain();
      second.drain();
    },
    close: async (how) => {
      await Promise.all([first.close(how), second.close(how)]);
    },
  };

  function toServer(asked: ServedApi, hosts: Readonly<Record<string, string>> = {}) {
    const connectionsMax = boundConnections(DEFAULT_LIMITS.connectionsMax);
    const handler: HttpHandler = (request) => {
      requests += 1;
      return asked.handler(request);
    };
    const served = { ...asked, handler };
    return createNodeServer({ api: served, connectionsMax, hosts, ...(trustProxy && { trustProxy }) });
  }

  async function listen(asked: ServedApi, at: string, wanted: number, hosts?: ServerOptions['sdkHosts']) {
    const server = toServer(asked, hosts);
    const { port: found } = await server.listen({ host: at, port: wanted }).catch((error: unknown) => {
      throw failure(`cannot listen on ${toUrl(at, wanted)}: ${describeListenError(error)}`);
    });
    return {
      url: toUrl(at, found),
      port: found,
      drain: () => server.drain(),
      close: (how: Parameters<Listener['close']>[0]) => server.close(how),
    };
  }
  async function listenOn(asked: ServedApi, path: string) {
    // Of several processes the first has made room, and they share the socket.
    if (cluster.isPrimary) await makeRoomFor(path);
    const server = toServer(asked, sdkHosts);
    await server.listenUnix(path).catch((error: unknown) => {
      throw failure(`cannot listen on ${toSocketUrl(path)}: ${describeSocketError(error)}`);
    });
    chmodSync(path, SOCKET_MODE);
    return {
      url: toSocketUrl(path),
      port: 0,
      drain: () => server.drain(),
      close: (how: Parameters<Listener['close']>[0]) => server.close(how),
    };
  }
}
