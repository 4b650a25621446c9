import { writeFileSync } from 'node:fs';
import { generatedFiles } from './validators.ts';

// `npm run validators`.
for (const { file, text } of generatedFiles()) writeFileSync(file, text);
