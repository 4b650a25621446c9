import { writeFileSync } from 'node:fs';
import { readPage, ROOT, SECTIONS, withSection } from './sections.ts';

/** Writes the tables of the code into the pages that print them: `npm run readme`. */
for (const { page, name, table } of SECTIONS) {
  const before = readPage(page);
  const after = withSection(before, name, table());
  writeFileSync(new URL(page, ROOT), after);
  console.log(`${page}: ${name} ${after === before ? 'was up to date' : 'is up to date now'}`);
}
