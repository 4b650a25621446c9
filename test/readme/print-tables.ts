import { readFileSync, writeFileSync } from 'node:fs';
import { errorTable, operatorTable, withSection } from './tables.ts';

/** Writes the tables of the code into the README: `npm run readme`. */
const file = new URL('../../README.md', import.meta.url);
const readme = readFileSync(file, 'utf8');
const written = withSection(withSection(readme, 'errors', errorTable()), 'operators', operatorTable());
writeFileSync(file, written);
console.log(written === readme ? 'README.md was up to date' : 'README.md is up to date now');
