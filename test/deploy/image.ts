import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../tidy/sources.ts';
import { contextFiles, readSteps, type Step } from './dockerfile.ts';
import { nodeOfImage } from './libraries.ts';

/** What the Dockerfile makes, without Docker: a root file system and how a process starts in it. */
export interface Image {
  /** Starts a process as the image's user. Nothing but its volume can be written, not even `/tmp`. */
  start(words: readonly string[], env?: Readonly<Record<string, string>>): ChildProcess;
  /** Runs such a process to its end; returns what it printed. Throws an Error unless it exits with 0. */
  run(words: readonly string[], env?: Readonly<Record<string, string>>): string;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
  /** A file of the image, as a path of this machine. */
  path(file: string): string;
  remove(): void;
}

/** What a stage has while its steps are carried out. */
interface Stage {
  readonly root: string;
  env: Record<string, string>;
  folder: string;
  user: string;
  volume?: string;
}

const PATH = '/usr/local/bin:/usr/bin:/bin';

/**
 * Carries out the Dockerfile's steps in order, each stage in a root of its own. The system below `/usr` is
 * this machine's, read-only, with the Node that `FROM` names. It needs root and Linux, for mounts that no
 * other process sees.
 */
export function buildImage(): Image {
  if (process.getuid?.() !== 0) throw new Error('this test mounts folders, so it must run as root');
  const home = mkdtempSync(join(tmpdir(), 'event-query-image-'));
  const stages = new Map<string, Stage>();
  const words: Record<string, readonly string[]> = {};
  let stage: Stage | undefined;
  for (const step of readSteps()) {
    if (step.keyword === 'FROM') {
      stage = openStage(join(home, String(stages.size)), step);
      stages.set(/ AS (\w+)$/i.exec(step.text)?.[1] ?? 'last', stage);
    } else {
      carryOut(stage!, step, stages);
    }
    if (step.words.length > 0) words[step.keyword] = step.words;
  }
  const last = stage!;
  const start = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    spawn('unshare', enter(last, argv, { env, readOnly: true }), { stdio: ['ignore', 'pipe', 'pipe'] });
  return {
    start,
    run: (argv, env = {}) =>
      execFileSync('unshare', enter(last, argv, { env, readOnly: true }), {
        encoding: 'utf8',
        stdio: 'pipe',
      }),
    entrypoint: words.ENTRYPOINT ?? [],
    command: words.CMD ?? [],
    healthCheck: words.HEALTHCHECK ?? [],
    path: (file) => join(last.root, file),
    remove: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** Makes the root of a stage, with the Node that it begins with. */
function openStage(root: string, { text }: Step): Stage {
  const { version, file } = nodeOfImage();
  if (!text.startsWith(`node:${version}-`))
    throw new Error(`the Dockerfile begins FROM ${text}, and test/deploy/package.json has Node ${version}`);
  for (const name of ['app', 'data', 'dev', 'etc', 'local', 'proc', 'tmp', 'usr', 'cache'])
    mkdirSync(join(root, name), { recursive: true });
  chmodSync(join(root, 'tmp'), 0o1777);
  for (const name of ['bin', 'lib', 'lib64', 'sbin']) symlinkSync(`usr/${name}`, join(root, name));
  copyFileSync(file, join(root, 'local/node'));
  return { root, env: { PATH }, folder: '/', user: '0:0' };
}

/** Carries out one step of a stage. */
function carryOut(stage: Stage, step: Step, stages: ReadonlyMap<string, Stage>): void {
  switch (step.keyword) {
    case 'RUN':
      execFileSync('unshare', enter(stage, ['/bin/sh', '-c', step.text], {}), { stdio: 'pipe' });
      return;
    case 'COPY':
      copy(stage, step, stages);
      return;
    case 'ENV':
      stage.env = { ...stage.env, ...step.pairs };
      return;
    case 'WORKDIR':
      stage.folder = step.text;
      mkdirSync(join(stage.root, step.text), { recursive: true });
      return;
    case 'USER':
      stage.user = step.text;
      return;
    case 'VOLUME':
      stage.volume = step.text;
      return;
    case 'CMD':
    case 'ENTRYPOINT':
    case 'EXPOSE':
    case 'HEALTHCHECK':
    case 'LABEL':
    case 'STOPSIGNAL':
      return;
    default:
      throw new Error(`this test does not carry out ${step.keyword}`);
  }
}

/** Copies from another stage, or what `.dockerignore` leaves of the project. */
function copy({ root, folder }: Stage, { text, flags }: Step, stages: ReadonlyMap<string, Stage>): void {
  const paths = text.split(/\s+/).filter((word) => !word.startsWith('--'));
  const to = join(root, folder, paths.at(-1)!);
  const from = flags.from === undefined ? undefined : stages.get(flags.from)!.root;
  for (const path of paths.slice(0, -1)) {
    if (from !== undefined) {
      cpSync(join(from, path), absolute(root, paths.at(-1)!), { recursive: true, verbatimSymlinks: true });
      continue;
    }
    const files = contextFiles().filter((file) => file === path || file.startsWith(`${path}/`));
    if (files.length === 0) throw new Error(`COPY ${path}: .dockerignore leaves nothing of it`);
    for (const file of files) {
      const target = join(to, file === path && paths.length > 2 ? file : file.slice(path.length));
      mkdirSync(dirname(target), { recursive: true });
      copyFileSync(ROOT + file, target);
    }
  }
}

const absolute = (root: string, path: string) => join(root, path);

/** The arguments of `unshare` that run a command in the root of a stage. */
function enter(
  { root, env, folder, user, volume }: Stage,
  words: readonly string[],
  options: { readonly env?: Readonly<Record<string, string>>; readonly readOnly?: boolean },
): string[] {
  const variables = Object.entries({ ...env, HOME: '/cache', ...options.env }).map(
    ([name, value]) => `${name}=${value}`,
  );
  const mounts = [
    'mount --make-rprivate /',
    'mount --bind "$0" "$0"',
    'mount --bind /usr "$0/usr" && mount -o remount,bind,ro "$0/usr"',
    'mount --bind "$0/local" "$0/usr/local/bin"',
    'mount --bind /etc "$0/etc" && mount -o remount,bind,ro "$0/etc"',
    'mount --rbind /dev "$0/dev"',
    'mount --bind /proc "$0/proc"',
    ...(options.readOnly === true
      ? [
          `mount --bind "$0${volume}" "$0${volume}"`,
          'mount -o remount,bind,ro "$0/usr/local/bin"',
          'mount -o remount,bind,ro "$0"',
        ]
      : []),
  ];
  const run = `exec chroot --userspec=${user} "$0" /usr/bin/env --chdir=${folder} -i "$@"`;
  const script = ['set -e', ...mounts, run].join('; ');
  return ['--mount', '/bin/sh', '-c', script, root, ...variables, ...words];
}
