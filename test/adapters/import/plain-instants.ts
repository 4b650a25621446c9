import { OPTION_WORDS } from '../../../adapters/import/base/options.ts';
import {
  createInstants,
  type Instants,
  type TimeOptions,
} from '../../../adapters/import/mappings/instants.ts';

/** A reader of times that tells nothing, unless a test listens. */
export function plainInstants(options: Partial<TimeOptions> = {}): Instants {
  return createInstants({ say: () => undefined, words: OPTION_WORDS, ...options });
}
