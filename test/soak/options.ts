import { parseArgs } from 'node:util';

/** What a run is told on its command line. */
export const OPTIONS = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    minutes: { type: 'string' },
    rate: { type: 'string' },
    seed: { type: 'string', default: '1' },
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
}).values;
