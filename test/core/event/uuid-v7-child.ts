import { createUuidV7 } from '../../../src/core/event/uuid-v7.ts';
import { testResources } from '../../support/resources.ts';

/** Prints 20,000 ids of a process whose clock stands still at a time. */
const now = () => Number(process.argv[2]);
const make = createUuidV7({ ...testResources().runtime, now });
process.stdout.write(`${Array.from({ length: 20_000 }, make).join('\n')}\n`);
