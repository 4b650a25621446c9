import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { createPlace } from '../command.ts';
import { fromNdjson } from '../ndjson.ts';

const place = createPlace();
const { file, tenant } = place;
afterAll(() => place.remove());

interface LogEvent {
  readonly userId: string;
  readonly properties: { readonly log?: Readonly<Record<string, unknown>> };
}

let count = 0;

/** Imports a log, and gives its events and what was left out. */
async function imported(text: string, ...flags: string[]) {
  count += 1;
  const alias = await tenant(`log-${count}`);
  const { stdout, stderr } = await place.run(['import', alias, file(text), '--json', ...flags]);
  const exported = await place.ok(['export', alias]);
  const events = (fromNdjson(exported) as LogEvent[]).reverse();
  const report = JSON.parse(stdout || '{}') as {
    imported?: number;
    rejected?: number;
    leftOut?: { what: string; count: number }[];
  };
  const leftOut = Object.fromEntries((report.leftOut ?? []).map(({ what, count: many }) => [what, many]));
  return { events, exported, report, leftOut, stderr };
}

const lines = (...records: readonly (object | string)[]) =>
  records.map((record) => `${typeof record === 'string' ? record : JSON.stringify(record)}\n`).join('');

const CLIENT = '198.51.100.23';
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/125.0';
const COMBINED =
  `${CLIENT} - - [04/Jun/2024:08:15:30 +0200] "GET /cart?item=7 HTTP/2.0" 200 512 ` +
  `"https://shop.example/" "${AGENT}"`;

const CADDY = {
  level: 'info',
  ts: 1717481730.25,
  logger: 'http.log.access.log0',
  msg: 'handled request',
  request: {
    ...{
      remote_ip: CLIENT,
      remote_port: '41342',
      client_ip: CLIENT,
      proto: 'HTTP/2.0',
      method: 'GET',
    },
    ...{ host: 'shop.example', uri: '/cart?item=7' },
    headers: {
      'User-Agent': [AGENT],
      Referer: ['https://shop.example/'],
      'Accept-Language': ['de', 'en'],
      'X-Forwarded-For': ['203.0.113.99'],
    },
    tls: { resumed: false, version: 772, server_name: 'shop.example' },
  },
  ...{ bytes_read: 0, user_id: '', duration: 0.0125, size: 512, status: 200 },
  resp_headers: { Server: ['Caddy'] },
};

const TRAEFIK = {
  ...{
    ClientAddr: `${CLIENT}:41342`,
    ClientHost: CLIENT,
    ClientPort: '41342',
    ClientUsername: '-',
  },
  ...{
    DownstreamContentSize: 512,
    DownstreamStatus: 200,
    Duration: 12500000,
    OriginStatus: 200,
  },
  ...{
    RequestHost: 'shop.example',
    RequestMethod: 'GET',
    RequestPath: '/cart?item=7',
    RequestPort: '-',
  },
  ...{
    RequestProtocol: 'HTTP/2.0',
    RouterName: 'shop@docker',
    ServiceAddr: '10.0.0.5:80',
  },
  ...{
    StartUTC: '2024-06-04T06:15:30.25Z',
    StartLocal: '2024-06-04T08:15:30.25+02:00',
  },
  ...{
    'request_User-Agent': AGENT,
    request_Referer: 'https://shop.example/',
    level: 'info',
    msg: '',
  },
  time: '2024-06-04T06:15:30Z',
};

const NGINX = {
  ...{
    time_local: '04/Jun/2024:08:15:30 +0200',
    remote_addr: CLIENT,
    remote_user: '',
  },
  ...{
    request: 'GET /cart?item=7 HTTP/2.0',
    status: '200',
    body_bytes_sent: '512',
    request_time: '0.0125',
  },
  ...{
    http_referrer: 'https://shop.example/',
    http_user_agent: AGENT,
    http_host: 'shop.example',
  },
  ...{
    upstream_addr: '10.0.0.5:80',
    http_x_forwarded_for: '203.0.113.99, 203.0.113.98',
  },
};

/** As others name the variables of nginx. */
const NGINX_SHORT = {
  ...{
    '@timestamp': '2024-06-04T08:15:30+02:00',
    host: CLIENT,
    method: 'GET',
    uri: '/cart?item=7',
  },
  ...{
    status: 200,
    body_bytes: 512,
    ua: AGENT,
    referer: 'https://shop.example/',
    request_time: 0.0125,
  },
  protocol: 'HTTP/2.0',
};

const NGINX_WORDS = {
  ...{
    Date: '2024-06-04T08:15:30+02:00',
    'Client IP Address': CLIENT,
    'Request Method': 'GET',
  },
  ...{
    'Request URI': '/cart',
    'Query String': 'item=7',
    Status: 200,
    'User Agent': AGENT,
    Bytes: 512,
  },
  ...{ Referer: 'https://shop.example/', 'Request Protocol': 'HTTP/2.0' },
};

const IIS = [
  '#Software: Microsoft Internet Information Services 10.0',
  '#Version: 1.0',
  '#Date: 2024-06-04 06:00:00',
  '#Fields: date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) ' +
    'cs(Referer) sc-status sc-bytes time-taken cs-version cs-host',
  `2024-06-04 06:15:30 10.0.0.5 GET /cart item=7 443 - ${CLIENT} ${AGENT.replaceAll(' ', '+')} ` +
    'https://shop.example/ 200 512 13 HTTP/2.0 shop.example',
];

const CLOUDFRONT = [
  '#Version: 1.0',
  '#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) ' +
    'cs(User-Agent) cs-uri-query x-host-header cs-protocol time-taken x-forwarded-for cs-protocol-version',
  [
    ...['2024-06-04', '06:15:30', 'FRA56-P1', '512', CLIENT, 'GET', 'd1.cloudfront.net', '/cart', '200'],
    ...['https://shop.example/', encodeURIComponent(AGENT), 'item=7', 'shop.example', 'https', '0.013'],
    ...['203.0.113.99,%20203.0.113.98', 'HTTP/2.0'],
  ].join('\t'),
];

const ALB =
  `h2 2024-06-04T06:15:30.250000Z app/shop/50dc6c495c0c9188 ${CLIENT}:41342 10.0.0.5:80 0.001 0.011 0.0005 ` +
  `200 200 34 512 "GET https://shop.example:443/cart?item=7 HTTP/2.0" "${AGENT}" ECDHE TLSv1.2 ` +
  'arn:aws:elasticloadbalancing:eu-1:1:targetgroup/t/1 "Root=1-58337262-36d228ad" "shop.example" "arn:c" 0 ' +
  '2024-06-04T06:15:30.237000Z "forward" "-" "-" "10.0.0.5:80" "200" "-" "-" TID_1 "-" "-" "-" "new"';

const CLASSIC_ELB =
  `2024-06-04T06:15:30.250000Z my-elb ${CLIENT}:41342 10.0.0.5:80 0.001 0.011 0.0005 200 200 0 512 ` +
  `"GET https://shop.example:443/cart?item=7 HTTP/2.0" "${AGENT}" ECDHE TLSv1.2`;

const docker = (log: string, stream = 'stdout') =>
  JSON.stringify({ log, stream, time: '2024-06-04T06:15:30.26Z' });

/** A log, how the request of all these logs differs in it, and what is left out of it. */
const LOGS: Record<string, { log: string; own?: object; beside?: object; leftOut?: object }> = {
  combined: {
    log: lines(COMBINED),
    own: { vhost: undefined, duration: undefined },
  },
  caddy: {
    log: lines(CADDY),
    beside: {
      logger: 'http.log.access.log0',
      resp_headers: { Server: ['Caddy'] },
      bytes_read: 0,
    },
    leftOut: { 'addresses in request.headers.X-Forwarded-For of the log': 1 },
  },
  traefik: {
    log: lines(TRAEFIK),
    beside: { RouterName: 'shop@docker', ServiceAddr: '10.0.0.5:80' },
  },
  nginx: {
    log: lines(NGINX),
    beside: { upstream_addr: '10.0.0.5:80' },
    leftOut: { 'addresses in http_x_forwarded_for of the log': 1 },
  },
  'nginx with short names': {
    log: lines(NGINX_SHORT),
    own: { vhost: undefined },
  },
  'nginx with words': {
    log: lines(NGINX_WORDS),
    own: { vhost: undefined, duration: undefined },
  },
  'an array': {
    log: JSON.stringify([NGINX]),
    leftOut: { 'addresses in http_x_forwarded_for of the log': 1 },
  },
  iis: {
    log: lines(...IIS),
    own: { duration: 0.013 },
    beside: { 's-ip': '10.0.0.5', 's-port': '443' },
    leftOut: { 'lines #Software of the log': 1, 'lines #Date of the log': 1 },
  },
  cloudfront: {
    log: lines(...CLOUDFRONT),
    own: { duration: 0.013 },
    beside: { 'x-edge-location': 'FRA56-P1', 'cs(Host)': 'd1.cloudfront.net' },
    leftOut: { 'addresses in x-forwarded-for of the log': 1 },
  },
  alb: {
    log: lines(ALB),
    own: { referer: undefined },
    beside: {
      elb: 'app/shop/50dc6c495c0c9188',
      'target:port': '10.0.0.5:80',
      field_34: 'new',
    },
  },
  'classic elb': {
    log: lines(CLASSIC_ELB),
    own: { referer: undefined },
    beside: { elb: 'my-elb', scheme: 'https' },
  },
  'docker around text': {
    log: lines(
      docker('/docker-entrypoint.sh: Configuration complete; ready for start up\n'),
      docker(COMBINED.slice(0, 90)),
      docker('2024/06/04 06:15:30 [notice] 1#1: start worker processes\n', 'stderr'),
      docker(`${COMBINED.slice(90)}\n`),
    ),
    own: { vhost: undefined, duration: undefined },
    leftOut: {
      'lines of the log that are no request': 2,
      'stream that Docker wrote beside a line': 4,
      'time that Docker wrote beside a line': 4,
    },
  },
  'docker around caddy': {
    log: lines(
      docker(
        lines({
          level: 'info',
          ts: 1717481700.1,
          msg: 'serving initial configuration',
        }),
        'stderr',
      ),
      docker(lines(CADDY), 'stderr'),
    ),
    leftOut: {
      'addresses in request.headers.X-Forwarded-For of the log': 1,
      'lines of the log that are no request': 1,
      'stream that Docker wrote beside a line': 2,
      'time that Docker wrote beside a line': 2,
    },
  },
};

describe('import of the logs of web servers', () => {
  it.each(Object.entries(LOGS))('%s: is the same request', async (_name, { log, own, beside, leftOut }) => {
    const found = await imported(log);
    expect(found.report).toMatchObject({ imported: 1, rejected: 0 });
    expect(found.stderr).toContain('this is an access log');
    const { log: others, ...properties } = found.events[0]!.properties;
    const time = /"eventTs":"2024-06-04T06:15:30\.(000|250)Z"/;
    expect(found.exported).toMatch(time);
    const expected = {
      ...{
        vhost: 'shop.example',
        method: 'GET',
        path: '/cart',
        query: 'item=7',
        protocol: 'HTTP/2.0',
      },
      ...{
        status: 200,
        bytes: 512,
        duration: 0.0125,
        referer: 'https://shop.example/',
        agent: AGENT,
      },
      ...own,
    };
    expect(properties).toEqual(JSON.parse(JSON.stringify(expected)));
    expect(others ?? {}).toMatchObject(beside ?? {});
    expect(found.leftOut).toEqual(leftOut ?? {});
    expect(found.exported).not.toMatch(/198\.51\.100\.23|203\.0\.113\.9/);
    // A client is the same one in each log.
    const { events } = await imported(lines(COMBINED));
    expect(found.events[0]!.userId).toBe(events[0]!.userId);
    expect(found.events[0]!.userId).toMatch(/^client-/);
  });

  it('is found behind what a server says at its start, and in lines that come one by one', async () => {
    const started = Array.from({ length: 60 }, (_, i) => ({
      level: 'info',
      ts: 1717481700 + i,
      msg: `step ${i}`,
    }));
    const { report, leftOut } = await imported(lines(...started, CADDY));
    expect(report).toMatchObject({ imported: 1, rejected: 0 });
    expect(leftOut).toMatchObject({
      'lines of the log that are no request': 60,
    });
    const zipped = await tenant('log-zipped');
    const path = file(gzipSync(lines(...IIS)));
    expect(await place.ok(['import', zipped, path])).toMatch(/^imported 1,/);
    expect(await place.ok(['import', zipped, path])).toMatch(/^imported 0, duplicates 1,/);
  });

  it('is read by its name, with the user that a server knows and the salt', async () => {
    const { events } = await imported(lines({ ...CADDY, user_id: 'ada' }), '--from', 'access-log');
    expect(events[0]!.userId).toBe('ada');
    const [salted, plain] = [await imported(lines(CADDY), '--salt', 's'), await imported(lines(CADDY))];
    expect(salted.events[0]!.userId).not.toBe(plain.events[0]!.userId);
  });

  it('counts equal lines, and takes W3C lines that say little', async () => {
    const { report } = await imported(lines(TRAEFIK, TRAEFIK));
    expect(report).toMatchObject({ imported: 2 });
    const few = ['#Fields: date time c-ip', '2024-06-04\t06:15:30\t198.51.100.23'];
    const { events, exported } = await imported(lines(...few));
    expect(events[0]!.userId).toMatch(/^client-/);
    expect(exported).not.toContain(CLIENT);
  });

  it('follows a W3C log whose fields change, and refuses a line of another length', async () => {
    const changed = [
      '#Fields: time date c-ip cs-method',
      `06:15:31 2024-06-04 ${CLIENT} POST`,
      `06:15:32 ${CLIENT}`,
    ];
    const { report, events, stderr } = await imported(lines(...IIS, ...changed));
    expect(report).toMatchObject({ imported: 2, rejected: 1 });
    expect(events[1]!.properties).toMatchObject({ method: 'POST' });
    expect(stderr).toContain('line 8: event: its line has 2 fields, and #Fields names 4');
  });

  it('refuses a request that cannot be read, also between other lines of Docker', async () => {
    const broken = COMBINED.replace(CLIENT, 'a b c');
    const { report } = await imported(lines(docker(`${COMBINED}\n`), docker(`${broken}\n`)));
    expect(report).toMatchObject({ imported: 1, rejected: 1 });
  });

  it('takes time in proportion to a line that is no directive', async () => {
    // A pattern that goes back over the blanks would need more steps than a test has time for.
    const { report } = await imported(lines(`#Note:${' '.repeat(1_000_000)}x\u2028`, COMBINED));
    expect(report).toMatchObject({ imported: 1, leftOut: [{ what: 'lines #Note of the log', count: 1 }] });
  });

  it('lets --map say what such a file is', async () => {
    const flags = ['--map', 'eventName="seen",userId=remote_addr,eventTs=time', '--time-zone', 'UTC'];
    const { events } = await imported(
      lines({
        remote_addr: CLIENT,
        status: 200,
        uri: '/a',
        time: '2024-06-04 06:15:30',
      }),
      ...flags,
    );
    expect(events[0]!.userId).toBe(CLIENT);
  });

  it('reads other lines that Docker wrote, too', async () => {
    const event = {
      eventName: 'a',
      userId: 'u',
      eventTs: '2024-06-04T06:15:30.000Z',
    };
    const { report } = await imported(lines(docker(lines(event)), docker(lines({ ...event, userId: 'v' }))));
    expect(report).toMatchObject({ imported: 2, rejected: 0 });
  });
});
