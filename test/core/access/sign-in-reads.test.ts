import { it } from 'vitest';
import { memoryControlStore } from '../../../adapters/memory/index.ts';
import type { ControlStore } from '../../../src/store-kit.ts';
import type { Fixture } from '../../conformance/index.ts';
import { sqliteFixture } from '../../conformance/sqlite-fixture.ts';
import { expectSignInReads } from '../../support/sign-in-reads.ts';

it.each([
  ['memory', (): Fixture<ControlStore> => ({ store: memoryControlStore() })],
  ['SQLite', () => sqliteFixture('control')],
])('what a sign-in and a session read of %s does not grow with who is signed in', async (_name, open) => {
  const { store, close } = open();
  await expectSignInReads(store);
  await close?.();
});
