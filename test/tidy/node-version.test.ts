import { readFileSync } from 'node:fs';
import { minVersion, satisfies } from 'semver';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { projectFiles, ROOT } from './sources.ts';

interface Lock {
  readonly packages: Readonly<Record<string, Locked>>;
}

interface Locked {
  readonly version?: string;
  readonly engines?: { readonly node?: string };
  /** What npm leaves out by itself where it does not fit. */
  readonly optional?: boolean;
}

/** The oldest Node that the package says it works on. */
const OLDEST = minVersion(manifest.engines.node)!;

/** SDKs of others whose newest version, which the tests of `test/sdks` run, needs a newer Node. */
const NEEDS_NEWER = ['node_modules/posthog-node'];

const refuses = (node: string | undefined) => node !== undefined && !satisfies(OLDEST, node);

it.each(projectFiles().filter((path) => path.endsWith('package-lock.json')))(
  '%s installs nothing that refuses the oldest Node of the package',
  (path) => {
    const { packages } = JSON.parse(readFileSync(ROOT + path, 'utf8')) as Lock;
    const refusing = Object.entries(packages)
      .filter(
        ([name, { engines, optional }]) =>
          !(optional ?? NEEDS_NEWER.includes(name)) && refuses(engines?.node),
      )
      .map(([name, { version, engines }]) => `${name} ${version} takes Node ${engines!.node}`);
    expect(refusing).toEqual([]);
  },
);
