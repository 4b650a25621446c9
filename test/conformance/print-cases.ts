import { readFileSync, writeFileSync } from 'node:fs';
import { sectionOf, withSection } from '../readme/tables.ts';
import { casesTable } from './cases-table.ts';

/** Writes the cases of filter semantics into the README; with `--check` says whether they are there. */
const file = new URL('../../README.md', import.meta.url);
const readme = readFileSync(file, 'utf8');
const isThere = sectionOf(readme, 'cases') === casesTable();
if (process.argv.includes('--check')) {
  console.log(isThere ? 'README.md has the cases' : 'README.md has other cases: run print-cases.ts');
  process.exitCode = isThere ? 0 : 1;
} else {
  writeFileSync(file, withSection(readme, 'cases', casesTable()));
  console.log(isThere ? 'README.md was up to date' : 'README.md is up to date now');
}
