import type * as Migrations from '../../adapters/sqlite/file/migrations.ts';

/**
 * A made-up next step of the schema: with it, the schema that files have today is an older one. It adds a
 * table, and replaces the name of each tenant.
 */
const NEXT_STEP = `
  CREATE TABLE made_up (tenant_id TEXT PRIMARY KEY) STRICT;
  INSERT INTO made_up SELECT id FROM documents WHERE kind = 'tenant';
  UPDATE documents SET document = json_set(document, '$.name', upper(document ->> '$.name'))
    WHERE kind = 'tenant';`;

/**
 * What a test has instead of `adapters/sqlite/file/migrations.ts`, by `vi.mock`. The file needs a process of
 * its own: others have that module already.
 */
export async function withNextStep(load: () => Promise<typeof Migrations>): Promise<typeof Migrations> {
  const { MIGRATIONS } = await load();
  return { MIGRATIONS: [...MIGRATIONS, NEXT_STEP] };
}

/** Adds the step to the migrations of SQLite in a build, where PostgreSQL has a list of that name, too. */
const HOOKS = `
  export async function load(url, context, next) {
    const loaded = await next(url, context);
    const source = String(loaded.source ?? '');
    if (!source.includes('MIGRATIONS')) return loaded;
    const isSqlite = (list) => list.includes('CREATE TABLE column_paths');
    const add = (list, name) => isSqlite(list) ? list + name + '.push(' + STEP + ');' : list;
    return { ...loaded, source: source.replace(/\\b(MIGRATIONS\\d*) = \\[\\n[^]*?\\n\\];/g, add) };
  }
  const STEP = ${JSON.stringify(JSON.stringify(NEXT_STEP))};`;
const dataUrl = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;

/** The option of Node.js, as one text, by which a process has the next step too. */
export const NEXT_STEP_OPTION = `--import=${dataUrl(
  `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(HOOKS))});`,
)}`;
