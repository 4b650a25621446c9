import type { Edit } from '../../support/source-copy.ts';

/** A way to break the sources, and the test that has to notice it. */
export interface Break {
  readonly what: string;
  /** The test file that has to fail. */
  readonly test: string;
  readonly file: string;
  /** A text that the file holds once, and what is put in its place. */
  readonly replace: readonly Edit[];
}

const MEMORY_LIMITER = `((kept = new Map<string, core.Buckets>()) => ({
  take: async (id: string, windows: readonly core.Window[], cost: core.Cost) => {
    const now = runtime.now();
    const { buckets, state } = core.takeTokens(kept.get(id) ?? core.fullBuckets(now), windows, cost, now);
    kept.set(id, buckets);
    return state;
  },
  erase: async () => undefined,
}))()`;
const limiterInMemory = {
  file: 'adapters/sqlite/index.ts',
  replace: [
    [
      'import { requireOptions, type MemoryBudget,',
      "import * as core from '../../src/store-kit.ts';\nimport { requireOptions, type MemoryBudget,",
    ],
    ['limits: sqliteRateLimiter(database, writer, runtime)', `limits: ${MEMORY_LIMITER}`],
  ],
} as const;
const noTransaction = {
  file: 'adapters/sqlite/writer/group.ts',
  replace: [
    [
      `return transactOwn(() => {
          began = true;
          return apply(task);
        });`,
      'return apply(task);',
    ],
    ['if (tasks.length === 1) return writeEach(tasks);', 'if (tasks.length > 0) return writeEach(tasks);'],
  ],
} as const;

/** Every fault test, seen failing on a build that has the defect that it looks for. */
export const BREAKS: readonly Break[] = [
  {
    what: 'a batch is acknowledged before it is committed',
    test: 'sigkill',
    file: 'adapters/sqlite/writer/sqlite-writer.ts',
    replace: [
      [
        'if (waiting.length > 0) send(writer.writeNext(waiting).map(toPlain));',
        `if (waiting.length > 0 && waiting.every(({ name }) => name === 'append')) {
          const late = waiting.splice(0);
          send(late.map(() => ({ value: { duplicates: [], overNames: [] } })));
          setTimeout(() => {
            while (late.length > 0) writer.writeNext(late);
          }, 20);
        } else if (waiting.length > 0) send(writer.writeNext(waiting).map(toPlain));`,
      ],
    ],
  },
  {
    what: 'a thread that has died is not replaced',
    test: 'writer-thread',
    file: 'adapters/sqlite/writer/thread.ts',
    replace: [['      thread = undefined;\n', '']],
  },
  {
    what: 'who waits for a thread that has died gets no answer',
    test: 'writer-thread',
    file: 'adapters/sqlite/writer/thread.ts',
    replace: [
      ['for (const { left, settle } of sent.splice(0))', 'for (const { left, settle } of sent.splice(0, 0))'],
    ],
  },
  {
    what: 'who waits for a thread that has died is told to be stored',
    test: 'writer-thread',
    file: 'adapters/sqlite/writer/thread.ts',
    replace: [
      [
        'settle(Array.from({ length: left }, () => ({ error })));',
        'settle(Array.from({ length: left }, () => ({ value: { duplicates: [], overNames: [] } })));',
      ],
    ],
  },
  {
    what: 'a group whose commit fails is told to be stored',
    test: 'disk-full',
    file: 'adapters/sqlite/writer/group.ts',
    replace: [
      [
        'return began ? writeEach(tasks) : tasks.map(() => ({ error }));',
        'return tasks.map(() => ({ value: { duplicates: [], overNames: [] } }));',
      ],
    ],
  },
  {
    what: 'what failed of a group is not rolled back',
    test: 'group-commit',
    file: 'adapters/sqlite/writer/group.ts',
    replace: [['      rollBack.run();\n', '']],
  },
  {
    what: 'what is known of a log outlives what was rolled back',
    test: 'group-commit',
    file: 'adapters/sqlite/writer/group.ts',
    replace: [['      logs.forget();\n      rollBack.run();\n', '      rollBack.run();\n']],
  },
  { what: 'a batch is stored without a transaction', test: 'group-commit', ...noTransaction },
  {
    what: 'tokens are leased first and taken later, so that a crash grants them',
    test: 'workers',
    file: 'src/core/access/leased-limiter.ts',
    replace: [
      [
        'const state = await limits.take(id, windows, asked);',
        `const state = await limits.take(id, windows, 0);
        if (state.allowed) setTimeout(() => void limits.take(id, windows, asked), 600);`,
      ],
    ],
  },
  { what: 'each worker takes the whole limit', test: 'workers', ...limiterInMemory },
  {
    what: 'a worker that has died is not replaced',
    test: 'workers',
    file: 'adapters/cli/server/worker-pool.ts',
    replace: [["'a worker ended');\n      void replace(slot);", "'a worker ended');"]],
  },
  { what: 'an erasure is decided without a transaction', test: 'erasure', ...noTransaction },
  {
    what: 'an erasure that was cut short does not go on',
    test: 'erasure',
    file: 'adapters/sqlite/events.ts',
    replace: [['  void removeErased();\n', '']],
  },
  {
    what: 'columns keep what was erased',
    test: 'erasure',
    file: 'adapters/sqlite/writes/erase.ts',
    replace: [
      [
        'if (Number(removeChunk.run(versionId).changes) > 0) return false;',
        'if (removeChunk === null) return false;',
      ],
    ],
  },
  {
    what: 'a name that no event has any more stays',
    test: 'erasure',
    file: 'adapters/sqlite/writes/erase-rows.ts',
    replace: [
      ['for (const name of names) removeName', 'for (const name of number < 0 ? names : []) removeName'],
    ],
  },
  { what: 'a batch is stored without a transaction', test: 'sigkill', ...noTransaction },
  { what: 'a restart hands out new tokens', test: 'sigkill', ...limiterInMemory },
  {
    what: 'a repeat is told as accepted',
    test: 'sigkill',
    file: 'adapters/sqlite/writes/append.ts',
    replace: [['duplicates.push(i)', 'duplicates.slice(i)']],
  },
  {
    what: 'a full disk is an internal error',
    test: 'disk-full',
    file: 'adapters/sqlite/file/trouble.ts',
    replace: [
      ['  SQLITE_FULL: 13,\n', ''],
      ['  SQLITE_IOERR: 10,\n', ''],
    ],
  },
  {
    what: 'a batch on a full disk is stored as far as it goes',
    test: 'disk-full',
    ...noTransaction,
  },
  {
    what: 'a read-only file is an internal error',
    test: 'read-only',
    file: 'adapters/sqlite/file/trouble.ts',
    replace: [['  SQLITE_READONLY: 8,\n', '']],
  },
  {
    what: 'a use of a key that cannot be noted refuses the request',
    test: 'read-only',
    file: 'src/core/access/service.ts',
    replace: [
      ['await keys.touch(key.id, judgedAt).catch(() => undefined);', 'await keys.touch(key.id, judgedAt);'],
    ],
  },
  {
    what: 'stored chunks are trusted',
    test: 'column-chunks',
    file: 'src/core/columns/column/chunk.ts',
    replace: [
      [
        'if (checksum([originText(log, origin), saved.entries], aligned) !== saved.checksum)',
        'if (log.id < 0)',
      ],
    ],
  },
  {
    what: 'the checksum does not bind a chunk to its place',
    test: 'column-chunks',
    file: 'src/core/columns/column/chunk.ts',
    replace: [
      [
        'return JSON.stringify([FORMAT, BYTE_ORDER, log.id, log.version, path, segment, lastId]);',
        "return lastId === '' ? '' : 'x';",
      ],
    ],
  },
  { what: 'a batch is stored without a transaction', test: 'wal', ...noTransaction },
  { what: 'each server has buckets of its own', test: 'two-servers', ...limiterInMemory },
  {
    what: 'events of the other server go unnoticed',
    test: 'two-servers',
    file: 'adapters/sqlite/log/event-log.ts',
    replace: [
      [
        'const base = name.number * ROWS_PER_LOG;',
        'const base = name.number * ROWS_PER_LOG; let firstSize: number | undefined;',
      ],
      ['return found.size;', 'return (firstSize ??= found.size);'],
    ],
  },
  {
    what: 'what was looked up is kept although the file has changed',
    test: 'two-servers',
    file: 'adapters/sqlite/file/watch.ts',
    replace: [['version !== versionSeen || writes !== writesSeen', 'writes !== writesSeen']],
  },
  {
    what: 'a handler may work for ever',
    test: 'hanging-store',
    file: 'adapters/node-http/exchange/exchanges.ts',
    replace: [
      ["else if ((at === 'running' || at === 'producing') && age > handlerTicks) giveUp(exchange);", ''],
    ],
  },
  {
    what: 'a clock that steps back gives tokens',
    test: 'clock',
    file: 'src/core/base/token-bucket.ts',
    replace: [
      [
        'const elapsedMs = seenAt - buckets.updatedAt;',
        'const elapsedMs = Math.abs(now - buckets.updatedAt);',
      ],
    ],
  },
  {
    what: 'a clock that swings gives tokens with each swing',
    test: 'clock',
    file: 'src/core/base/token-bucket.ts',
    replace: [['{ used, updatedAt: seenAt }', '{ used, updatedAt: now }']],
  },
  {
    what: 'keys never expire',
    test: 'clock',
    file: 'src/core/access/key.ts',
    replace: [
      ['revokedAt === null && (expiresAt === null || now < expiresAt)', 'revokedAt === null && now > 0'],
      ['({ expiresAt }) => expiresAt === null || now < expiresAt', '({ expiresAt }) => expiresAt !== 0'],
    ],
  },
  {
    what: 'events of any future are taken',
    test: 'clock',
    file: 'src/core/event/parse-event.ts',
    replace: [['const FUTURE_MS_MAX = DAY_MS;', 'const FUTURE_MS_MAX = 1000 * DAY_MS;']],
  },
  {
    what: 'without descriptors the server stops listening',
    test: 'file-descriptors',
    file: 'adapters/node-http/server.ts',
    replace: [
      [
        "server.on('request', (req, res) => open(req, res, false));",
        `server.on('request', (req, res) => open(req, res, false));
        let taken = 0;
        server.on('connection', () => void ((taken += 1) > 8 && server.close()));`,
      ],
    ],
  },
  {
    what: 'what is in flight is cut off',
    test: 'sigterm',
    file: 'adapters/node-http/server.ts',
    replace: [["connections.destroy('idle')", "connections.destroy('all')"]],
  },
  {
    what: 'a client that does not go on is waited for',
    test: 'sigterm',
    file: 'adapters/node-http/server.ts',
    replace: [
      [
        "setTimeout(() => connections.destroy('all'), limits.closeTimeoutMs)",
        'setTimeout(() => undefined, 3_600_000)',
      ],
    ],
  },
];
