import { readFileSync } from 'node:fs';
import { casesTable, zonesTable } from '../conformance/cases-table.ts';
import { sequenceDrawings, sequenceTable } from '../conformance/sequence-drawings.ts';
import {
  adminRouteTable,
  errorTable,
  eventFieldTable,
  mappingTable,
  metricTable,
  mixpanelTable,
  operatorTable,
  planTable,
  routeTable,
  rudderstackTable,
  sdkRouteTable,
  segmentTable,
  sizeTable,
  writtenOperatorTable,
} from './tables.ts';

/** The root of the project. */
export const ROOT = new URL('../../', import.meta.url);

/** A table of the code that a page of the documentation prints, between `<!-- NAME:begin -->` and `:end`. */
export interface Section {
  /** The page, from the root of the project. */
  readonly page: string;
  readonly name: string;
  readonly table: () => string;
}

/** Every table that is written from the code: `npm run readme` writes them, and a test holds them equal. */
export const SECTIONS: readonly Section[] = [
  { page: 'src/core/http/README.md', name: 'routes', table: routeTable },
  { page: 'src/core/http/README.md', name: 'operators', table: operatorTable },
  { page: 'src/core/http/README.md', name: 'event-fields', table: eventFieldTable },
  { page: 'src/core/http/README.md', name: 'plans', table: planTable },
  { page: 'src/core/http/README.md', name: 'errors', table: errorTable },
  { page: 'src/core/http/sequences.md', name: 'drawings', table: sequenceDrawings },
  { page: 'src/core/http/sequences.md', name: 'sequences', table: sequenceTable },
  { page: 'adapters/cli/README.md', name: 'operators', table: writtenOperatorTable },
  { page: 'adapters/sdks/README.md', name: 'routes', table: sdkRouteTable },
  { page: 'adapters/sdks/segment.md', name: 'segment-calls', table: segmentTable },
  { page: 'adapters/sdks/rudderstack.md', name: 'rudderstack-calls', table: rudderstackTable },
  { page: 'adapters/sdks/mixpanel.md', name: 'mixpanel-paths', table: mixpanelTable },
  { page: 'adapters/dashboard/README.md', name: 'routes', table: adminRouteTable },
  { page: 'adapters/prometheus/README.md', name: 'metrics', table: metricTable },
  { page: 'adapters/cli/import.md', name: 'mappings', table: mappingTable },
  { page: 'src/README.md', name: 'sizes', table: sizeTable },
  { page: 'test/conformance/README.md', name: 'cases', table: casesTable },
  { page: 'test/conformance/README.md', name: 'zones', table: zonesTable },
];

/** The text of a page. */
export function readPage(page: string): string {
  return readFileSync(new URL(page, ROOT), 'utf8');
}

/** What a page says between the marks of a section. Throws an Error for a page without it. */
export function sectionOf(text: string, name: string): string {
  const match = new RegExp(`<!-- ${name}:begin -->\\n([\\s\\S]*?)\\n?<!-- ${name}:end -->`).exec(text);
  if (match === null) throw new Error(`the page has no section ${name}`);
  return match[1] ?? '';
}

/** The page with another text between the marks of a section. */
export function withSection(text: string, name: string, table: string): string {
  const old = `<!-- ${name}:begin -->\n${sectionOf(text, name)}`;
  const at = text.indexOf(old);
  const end = text.indexOf(`<!-- ${name}:end -->`, at);
  return `${text.slice(0, at)}<!-- ${name}:begin -->\n${table}\n${text.slice(end)}`;
}
