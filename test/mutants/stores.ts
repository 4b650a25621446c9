import { memory, mutantsOf, sqlite, stores } from './mutant.ts';

const KEYS = stores('key store: memory');
const TENANTS = stores('tenant store: memory');

/** The stores in memory. */
export const MEMORY = mutantsOf('adapters/memory', [
  [
    'the same event is stored twice',
    'event-log.ts',
    'if (!identities.add(eventTs, insertId)) return void duplicates.push(index);',
    'if (!identities.add(eventTs, insertId)) duplicates.push(index);',
    memory('a repeat is told'),
  ],
  [
    'a repeat makes its name known',
    'event-log.ts',
    'if (!identities.add(eventTs, insertId))',
    'distinctNames.add(eventName);\n        if (!identities.add(eventTs, insertId))',
    memory('a repeat under a new name'),
  ],
  [
    'arrays are walked as objects are',
    'event-log.ts',
    'valueBelow(properties, paths[i]!.segments);',
    'paths[i]!.segments.reduce((value: any, key) => value?.[key], properties as any);',
  ],
  [
    'half a batch stays',
    'events.ts',
    'const batch = events.map((event) => ({ ...event }));',
    'const batch = events;',
    memory('a batch that fails half way'),
  ],
  [
    'a key is revoked at the last time that it was',
    'keys.ts',
    'key.revokedAt ?? revokedAt',
    'revokedAt',
    KEYS,
  ],
  [
    'keys of all tenants go',
    'keys.ts',
    'if (key.tenantId === tenantId) keys.delete(key.id);',
    'keys.delete(key.id);',
    KEYS,
  ],
  [
    'two tenants have one alias',
    'tenants.ts',
    'if (byAlias(tenant.alias) !== undefined) return Promise.resolve(false);',
    '',
    TENANTS,
  ],
  [
    'tenants are listed as people would',
    'tenants.ts',
    'compareCodePoints(a.alias, b.alias)',
    'a.alias.localeCompare(b.alias)',
    TENANTS,
  ],
]);

const FILE = 'adapters/sqlite/file';
const ERASE = 'adapters/sqlite/erase';
const GROUP = 'adapters/sqlite/writer/group';
const OPEN_LOGS = 'adapters/sqlite/open-logs';
const THREAD = 'adapters/sqlite/writer/thread';

/** The stores in SQLite. */
export const SQLITE = mutantsOf('adapters/sqlite', [
  ['error codes of node:sqlite are not known', 'database.ts', 'errcode & 0xff', 'errcode', FILE],
  [
    'extended result codes are a fault',
    'database.ts',
    'code === name || code.startsWith(`${name}_`)',
    'code === name',
    'adapters/sqlite/database',
  ],
  [
    'what another process changed is not seen',
    'file-watch.ts',
    'version !== versionSeen || writes !== writesSeen',
    'writes !== writesSeen',
    'adapters/sqlite/file-watch',
  ],
  [
    'what another store of this process changed is not seen',
    'file-watch.ts',
    'if (fresh && writes === writesSeen && now',
    'if (fresh && now',
    'adapters/sqlite/file-watch',
  ],
  ['what is deleted stays readable', 'database.ts', 'secure_delete = ON', 'secure_delete = OFF', ERASE],
  [
    'a key is looked up once and for all',
    'file-watch.ts',
    'if (now !== foundAt || found.size >= REMEMBERED_MAX) found.clear();',
    'if (found.size >= REMEMBERED_MAX) found.clear();',
    stores('key store: sqlite'),
  ],
  [
    'rotation leaves the old secret as it was',
    'writes/keys.ts',
    'endOthers.run(',
    'void (',
    stores('key store: sqlite'),
  ],
  [
    'a revoked key gets another secret',
    'writes/keys.ts',
    'if (before?.revoked_at !== null) return undefined;',
    'if (before === undefined) return undefined;',
    stores('key store: sqlite'),
  ],
  [
    'secrets of a deleted tenant stay in the file',
    'writes/keys.ts',
    'removeSecrets.run(tenantId);',
    '',
    ERASE,
  ],
  [
    'an alias that is taken is given away',
    'writes/tenants.ts',
    'ON CONFLICT (alias) DO NOTHING',
    'ON CONFLICT (alias) DO UPDATE SET name = excluded.name',
    stores('tenant store: sqlite'),
  ],
  [
    'a file of a newer version is written to',
    'schema.ts',
    'if (version > SCHEMA_VERSION) {',
    'if (version < 0) {',
    FILE,
  ],
  [
    'the last write wins',
    'writes/append.ts',
    'ON CONFLICT (log, ts, insert_id) DO NOTHING',
    'ON CONFLICT (log, ts, insert_id) DO UPDATE SET properties = excluded.properties',
    sqlite('a repeat is told'),
  ],
  [
    'a dropped tenant takes events',
    'writes/open-logs.ts',
    "if (selectDropped.get(tenantId) !== undefined) throw new ApiError('tenantNotFound');",
    '',
    sqlite('dropped'),
  ],
  [
    'one name more than there may be',
    'writes/append.ts',
    'log.countNames() >= namesMax',
    'log.countNames() > namesMax',
    sqlite('distinct name'),
  ],
  [
    'what another process did to a log goes unnoticed',
    'writes/open-logs.ts',
    'version !== versionSeen || ',
    '',
    OPEN_LOGS,
  ],
  ['an erased log is written on', 'writes/erase.ts', '    logs.forget();\n', '', OPEN_LOGS],
  [
    'names of a batch that was rolled back are known',
    'writer/group.ts',
    '      logs.forget();\n      rollBack.run();',
    '      rollBack.run();',
    OPEN_LOGS,
  ],
  [
    'names of a batch alone that failed are known',
    'writer/group.ts',
    '        logs.forget();\n        if (!began)',
    '        if (!began)',
    OPEN_LOGS,
  ],
  [
    'names of a group that failed are known',
    'writer/group.ts',
    '      logs.forget();\n      // Where',
    '      // Where',
    OPEN_LOGS,
  ],
  [
    'one at a time waits for others',
    'writer/writer.ts',
    'else queueMicrotask(bring);',
    'else setImmediate(bring);',
    GROUP,
  ],
  ['nobody waits for others any more', 'writer/writer.ts', '(alone + 1) % ALONE_MAX', '1', GROUP],
  [
    'keys with a dot are two keys',
    'log/event-log.ts',
    '`."${segment}"`',
    '`.${segment}`',
    sqlite('any query answers'),
  ],
  [
    'tenants read the rows of the first',
    'log/event-log.ts',
    'const base = name.number * ROWS_PER_LOG;',
    'const base = ROWS_PER_LOG;',
    sqlite('tenants never see each other'),
  ],
  [
    'a write is answered before its commit',
    'writer/inline.ts',
    'while (left.length > 0) settle(writer.writeNext(left));',
    'settle(left.map(() => ({ value: {} }))); while (left.length > 0) writer.writeNext(left);',
    GROUP,
  ],
  [
    'a bad one takes its group with it',
    'writer/group.ts',
    'return tasks.map(applyInSavepoint);',
    'return tasks.map(apply);',
    GROUP,
  ],
  [
    'all of a group is refused for want of space',
    'writer/group.ts',
    'return began ? writeEach(tasks) : tasks.map(() => ({ error }));',
    'return tasks.map(() => ({ error }));',
    GROUP,
  ],
  ['a group has any number of rows', 'writer/group.ts', 'rows > GROUP_ROWS_MAX || ', '', GROUP],
  [
    'each waits for the lock anew',
    'writer/group.ts',
    'return began ? writeEach(tasks) :',
    'return writeEach(tasks) ??',
    GROUP,
  ],
  [
    'events wait for no disk',
    'writer/group.ts',
    "rules.some(({ durable }) => durable) ? 'FULL' : 'NORMAL'",
    "'NORMAL'",
    GROUP,
  ],
  [
    'a queue of any length',
    'writer/writer.ts',
    'bytesOnTheWay > LITTLE_BYTES && !account.book(bytes)',
    'onTheWay < 0',
    GROUP,
  ],
  [
    'what waits is lost at the end',
    'writer/writer.ts',
    'if (onTheWay > 0) await new Promise<void>((resolve) => (drained = resolve));',
    '',
    GROUP,
  ],
  ['a dead thread is not replaced', 'writer/thread.ts', '      thread = undefined;\n', '', THREAD],
]);
