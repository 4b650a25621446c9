import { writeFileSync } from 'node:fs';
import { toValidatorsText, VALIDATORS_FILE } from './validators.ts';

// `npm run validators`.
writeFileSync(VALIDATORS_FILE, toValidatorsText());
