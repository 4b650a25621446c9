import { it } from 'vitest';
import { expectRulesOfTwo } from '../../support/two-processes.ts';
import { newFile, openStores } from './fixtures.ts';

it('two processes over one file keep every bound, and lose no change of each other', async () => {
  const file = newFile();
  await expectRulesOfTwo(file, openStores(file));
}, 120_000);
