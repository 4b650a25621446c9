/** A fault that a change could bring in, and the tests that must notice it. */
export interface Mutant {
  /** What it does wrong, seen from outside. */
  readonly name: string;
  readonly file: string;
  /** Occurs exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  readonly killedBy: Killer;
}

/** A test file, and a pattern of the names of its tests where only some of them are meant. */
export interface Killer {
  readonly file: string;
  readonly tests?: string;
}

/** Tests of the store of events in memory, by a pattern of their names. */
const memory = (tests: string) => suite('memory', tests);

/** Tests of the store of events in SQLite, by a pattern of their names. */
const sqlite = (tests: string) => suite('sqlite', tests);

function suite(store: string, tests: string): Killer {
  return { file: 'test/conformance/stores.test.ts', tests: `event store: ${store} \\(.*${tests}` };
}

/**
 * Faults in the order of locks, in transactions, in what a crash leaves and in what two do at once. A tool
 * changes operators and constants (`npm run mutation`); none of these is such a change.
 */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'an event that waits for its removal keeps its identity',
    file: 'adapters/sqlite/writes/append.ts',
    find: ' && version > 0 && giveWay(number, eventTs, insertId)',
    replace: ' && version < 0 && giveWay(number, eventTs, insertId)',
    killedBy: { file: 'test/adapters/sqlite/erase-rows.test.ts' },
  },
  {
    name: 'an erasure forgets the one before it',
    file: 'adapters/sqlite/writes/erase-rows.ts',
    find: 'before === undefined ? bits : join(bits, before.bits)',
    replace: 'bits',
    killedBy: sqlite('(is erased by a query|while events are erased|an erasure lasts)'),
  },
  {
    name: 'what came since loses its name',
    file: 'src/core/columns/choose-later.ts',
    find: '      names.delete(event.eventName);\n',
    replace: '',
    killedBy: { file: 'test/adapters/sqlite/erase-rows.test.ts' },
  },
  {
    name: 'a chunk of another version is written',
    file: 'adapters/sqlite/writes/chunks.ts',
    find: 'if (selectVersion.get(number, version) === undefined) return false;',
    replace: '',
    killedBy: { file: 'test/adapters/sqlite/erase-rows.test.ts' },
  },
  {
    name: 'erased rows are counted once',
    file: 'adapters/sqlite/writes/erase-rows.ts',
    find: 'bits: all }',
    replace: 'bits }',
    killedBy: { file: 'test/adapters/sqlite/erased-rows.test.ts' },
  },
  {
    name: 'bits of a log outlive it',
    file: 'adapters/sqlite/writes/erase.ts',
    find: `    removeErased.run(number);
`,
    replace: '',
    killedBy: { file: 'test/adapters/sqlite/erased-rows.test.ts' },
  },
  {
    name: 'an erasure that was overtaken is done',
    file: 'src/core/columns/erasing.ts',
    find: 'if (count === undefined) continue;',
    replace: 'if (count === undefined) return chosen.count;',
    killedBy: { file: 'test/adapters/sqlite/erase-rows.test.ts' },
  },
  {
    name: 'an event that arrives while an erasure chooses loses its name',
    file: 'src/core/columns/choose.ts',
    find: 'end: size, names, kept }',
    replace: 'end: log.size(), names, kept }',
    killedBy: { file: 'test/core/columns/erased.test.ts' },
  },
  {
    name: 'erasures of a tenant get in the way of each other',
    file: 'src/core/bounds/turns.ts',
    find: 'last.get(key) ?? Promise.resolve()',
    replace: 'Promise.resolve()',
    killedBy: { file: 'test/core/columns/erased.test.ts' },
  },
  {
    name: 'keys that are made while a tenant is deleted stay',
    file: 'adapters/sqlite/writes/control.ts',
    find: 'removeOfTenant.run(id);',
    replace: '',
    killedBy: { file: 'test/core/access/delete-tenant.test.ts' },
  },
  {
    name: 'events of a deleted tenant come in',
    file: 'src/core/access/admin.ts',
    find: 'await events.drop(id);',
    replace: 'await events.erase(id);',
    killedBy: { file: 'test/core/access/delete-tenant.test.ts' },
  },
  {
    name: 'a deletion that was cut short cannot be done again',
    file: 'src/core/access/admin.ts',
    find: `await events.drop(id);
      // Requests`,
    replace: `await tenants.delete(id);
      await events.drop(id);
      // Requests`,
    killedBy: { file: 'test/core/access/delete-tenant.test.ts' },
  },
  {
    name: 'a key that is made meanwhile outlives its tenant',
    file: 'adapters/memory/control.ts',
    find: 'if (owner !== undefined && !there.has(owner)',
    replace: 'if (owner === kind && !there.has(owner)',
    killedBy: { file: 'test/core/access/delete-tenant.test.ts' },
  },
  {
    name: 'two servers give the last place to a key each',
    file: 'src/core/access/key-records.ts',
    find: 'puts: [putRing(key.tenantId, ring, after), put(KEY, key)],',
    replace: 'puts: [put(KEY, key)],',
    killedBy: { file: 'test/adapters/sqlite/two-processes.test.ts' },
  },
  {
    name: 'a late block serves anybody',
    file: 'src/core/access/leased-limiter.ts',
    find: 'if (served >= own && !isCurrent(lease, arrivedAt)) return;',
    replace: '',
    killedBy: { file: 'test/core/access/leased-limiter.test.ts' },
  },
  {
    name: 'whoever comes second with a link comes in too',
    file: 'src/core/access/admin-credentials.ts',
    find: `(await admins.remove(link.id, note('credential.end', link, by))) === undefined`,
    replace: `(await admins.remove(link.id, note('credential.end', link, by))) === null`,
    killedBy: { file: 'test/core/http/admin/auth-guard.test.ts' },
  },
  {
    name: 'a full disk refuses a pass',
    file: 'src/core/access/admin-credentials.ts',
    find: 'admins.touch(credential.id, now).catch(() => undefined)',
    replace: 'admins.touch(credential.id, now)',
    killedBy: { file: 'test/core/access/admin-credentials.test.ts' },
  },
  {
    name: 'a batch keeps its memory',
    file: 'src/core/engine/engine.ts',
    find: 'reservation.release();',
    replace: '',
    killedBy: { file: 'test/core/engine/engine.test.ts' },
  },
  {
    name: 'a tenant keeps its turn while its batch is stored',
    file: 'src/core/engine/engine.ts',
    find: 'const report = batch.report(await storeAll(tenantId, batch.events), namesMax);',
    replace: `const report = await scheduler.run(tenantId, signal, async () =>
        batch.report(await storeAll(tenantId, batch.events), namesMax),
      );`,
    killedBy: { file: 'test/core/engine/engine.test.ts' },
  },
  {
    name: 'tokens of a new key are refused while it is being fetched',
    file: 'adapters/jose/key-sets.ts',
    find: 'if (entry.pending === undefined && entry.keys',
    replace: 'if (entry.keys',
    killedBy: { file: 'test/adapters/jose/key-set.test.ts' },
  },
  {
    name: 'invented tokens flood the endpoint',
    file: 'adapters/jose/key-sets.ts',
    find: '&& entry.keys === keys && !hasPassed(refetchMs, entry.triedAt))',
    replace: '&& entry.keys !== keys)',
    killedBy: { file: 'test/adapters/jose/key-set.test.ts' },
  },
  {
    name: 'a key that was taken away lives',
    file: 'adapters/jose/key-sets.ts',
    find: 'entry.keys === undefined || hasPassed(freshMs, entry.fetchedAt)',
    replace: 'entry.keys === undefined',
    killedBy: { file: 'test/adapters/jose/key-set.test.ts' },
  },
  {
    name: 'old keys live for ever while the endpoint is down',
    file: 'adapters/jose/key-sets.ts',
    find: 'entry.failure !== undefined && hasPassed(staleMs, entry.fetchedAt)',
    replace: 'entry.failure === entry',
    killedBy: { file: 'test/adapters/jose/key-set.test.ts' },
  },
  {
    name: 'each request fetches for itself',
    file: 'adapters/jose/key-sets.ts',
    find: 'entry.pending ??= fetchKeySet',
    replace: 'entry.pending = fetchKeySet',
    killedBy: { file: 'test/adapters/jose/key-set.test.ts' },
  },
  {
    name: 'half a batch stays',
    file: 'adapters/memory/events.ts',
    find: 'const batch = events.map((event) => ({ ...event }));',
    replace: 'const batch = events;',
    killedBy: memory('a batch that fails half way'),
  },
  {
    name: 'a batch does not wait for the disk',
    file: 'adapters/sqlite/writes/operations.ts',
    find: 'append: DURABLE',
    replace: 'append: QUICK',
    killedBy: { file: 'test/adapters/sqlite/writer/group.test.ts' },
  },
  {
    name: 'a sweep goes on in a closed file',
    file: 'adapters/sqlite/sweeper.ts',
    find: 'while (!stopped)',
    replace: 'for (;;)',
    killedBy: { file: 'test/adapters/sqlite/sweeper.test.ts' },
  },
  {
    name: 'a sweep leaves others no time for the lock',
    file: 'adapters/sqlite/sweeper.ts',
    find: 'await rest(',
    replace: 'void rest(',
    killedBy: { file: 'test/adapters/sqlite/sweeper.test.ts' },
  },
  {
    name: 'what another process changed is not seen',
    file: 'adapters/sqlite/file/watch.ts',
    find: 'version !== versionSeen || writes !== writesSeen',
    replace: 'writes !== writesSeen',
    killedBy: { file: 'test/adapters/sqlite/file/watch.test.ts' },
  },
  {
    name: 'what is deleted stays readable',
    file: 'adapters/sqlite/file/database.ts',
    find: 'secure_delete = ON',
    replace: 'secure_delete = OFF',
    killedBy: { file: 'test/adapters/sqlite/erase.test.ts' },
  },
  {
    name: 'secrets of a deleted tenant stay in the file',
    file: 'adapters/sqlite/writes/control.ts',
    find: 'removeNames.run(row.sequence);',
    replace: '',
    killedBy: { file: 'test/adapters/sqlite/erase.test.ts' },
  },
  {
    name: 'the version of a file is read before the lock is there',
    file: 'adapters/sqlite/file/schema.ts',
    find: `  if (versionOf(database) === SCHEMA_VERSION) return current;
  return transact(database, () => {
    // Another process may have migrated while this one waited for the lock.
    refuseForeignFile(database);
    const from = versionOf(database);`,
    replace: `  const from = versionOf(database);
  if (from === SCHEMA_VERSION) return current;
  return transact(database, () => {`,
    killedBy: { file: 'test/adapters/sqlite/older-schema.test.ts' },
  },
  {
    name: 'columns wait for the lock to be kept',
    file: 'adapters/sqlite/writer/group.ts',
    find: 'waits ? Math.trunc(busyTimeoutMs) : 0',
    replace: 'Math.trunc(busyTimeoutMs)',
    killedBy: { file: 'test/adapters/sqlite/events.test.ts' },
  },
  {
    name: 'a file of a newer version is written to',
    file: 'adapters/sqlite/file/schema.ts',
    find: 'if (version > SCHEMA_VERSION) {',
    replace: 'if (version < 0) {',
    killedBy: { file: 'test/adapters/sqlite/file.test.ts' },
  },
  {
    name: 'a dropped tenant takes events',
    file: 'adapters/sqlite/writes/open-logs.ts',
    find: `if (selectDropped.get(tenantId) !== undefined) throw new ApiError('tenantNotFound');`,
    replace: '',
    killedBy: sqlite('dropped'),
  },
  {
    name: 'what another process did to a log goes unnoticed',
    file: 'adapters/sqlite/writer/group.ts',
    find: 'if (version !== versionSeen) logs.forget();',
    replace: '',
    killedBy: { file: 'test/adapters/sqlite/open-logs.test.ts' },
  },
  {
    name: 'a batch overtakes a larger one of its tenant',
    file: 'adapters/sqlite/appending.ts',
    find: 'if (!isLarge && isNext)',
    replace: 'if (!isLarge)',
    killedBy: { file: 'test/adapters/sqlite/appending.test.ts' },
  },
  {
    name: 'the stores close while a batch is encoded',
    file: 'adapters/sqlite/events.ts',
    find: 'await appending.close();',
    replace: 'void appending.close();',
    killedBy: { file: 'test/adapters/sqlite/appending.test.ts' },
  },
  {
    name: 'an erased log is written on',
    file: 'adapters/sqlite/writes/erase.ts',
    find: `    logs.forget();
`,
    replace: '',
    killedBy: { file: 'test/adapters/sqlite/open-logs.test.ts' },
  },
  {
    name: 'names of a batch that was rolled back are known',
    file: 'adapters/sqlite/writer/group.ts',
    find: `      logs.forget();
      rollBack.run();`,
    replace: '      rollBack.run();',
    killedBy: { file: 'test/adapters/sqlite/open-logs.test.ts' },
  },
  {
    name: 'names of a group that failed are known',
    file: 'adapters/sqlite/writer/group.ts',
    find: `      logs.forget();
      // If`,
    replace: '      // If',
    killedBy: { file: 'test/adapters/sqlite/open-logs.test.ts' },
  },
  {
    name: 'a write is answered before its commit',
    file: 'adapters/sqlite/writer/inline.ts',
    find: 'while (left.length > 0) settle(writer.writeNext(left));',
    replace: 'settle(left.map(() => ({ value: {} }))); while (left.length > 0) writer.writeNext(left);',
    killedBy: { file: 'test/adapters/sqlite/writer/group.test.ts' },
  },
  {
    name: 'a bad one takes its group with it',
    file: 'adapters/sqlite/writer/group.ts',
    find: 'return tasks.map(applyInSavepoint);',
    replace: 'return tasks.map(apply);',
    killedBy: { file: 'test/adapters/sqlite/writer/group.test.ts' },
  },
  {
    name: 'each waits for the lock anew',
    file: 'adapters/sqlite/writer/group.ts',
    find: 'return began ? writeEach(tasks) :',
    replace: 'return writeEach(tasks) ??',
    killedBy: { file: 'test/adapters/sqlite/writer/group.test.ts' },
  },
  {
    name: 'events wait for no disk',
    file: 'adapters/sqlite/writer/group.ts',
    find: `isDurable ? 'FULL' : 'NORMAL'`,
    replace: `'NORMAL'`,
    killedBy: { file: 'test/adapters/sqlite/writer/group.test.ts' },
  },
  {
    name: 'what waits is lost at the end',
    file: 'adapters/sqlite/writer/writer.ts',
    find: 'if (onTheWay > 0) await new Promise<void>((resolve) => (drained = resolve));',
    replace: '',
    killedBy: { file: 'test/adapters/sqlite/writer/group.test.ts' },
  },
  {
    name: 'what was erased stays in the write-ahead log that somebody read just then',
    file: 'adapters/sqlite/writer/empty-log.ts',
    find: `if (await writer.run('emptyLog', [])) return;`,
    replace: `return void (await writer.run('emptyLog', []));`,
    killedBy: { file: 'test/adapters/sqlite/erase.test.ts' },
  },
  {
    name: 'a deletion fails because the stores close before the log is empty',
    file: 'adapters/sqlite/writer/empty-log.ts',
    find: '    // No writes are possible now.',
    replace: '    throw new Error();',
    killedBy: { file: 'test/adapters/sqlite/erase.test.ts' },
  },
  {
    name: 'a failing disk has emptied the log',
    file: 'adapters/sqlite/file/database.ts',
    find: `      return (checkpoint.get() as { busy: number }).busy === 0;
    } catch {
      return false;`,
    replace: `      return (checkpoint.get() as { busy: number }).busy === 0;
    } catch {
      return true;`,
    killedBy: { file: 'test/adapters/sqlite/erase.test.ts' },
  },
  {
    name: 'a dead thread is not replaced',
    file: 'adapters/sqlite/writer/thread.ts',
    find: `      thread = undefined;
`,
    replace: '',
    killedBy: { file: 'test/adapters/sqlite/writer/thread.test.ts' },
  },
  {
    name: 'columns are made of the events that there were before a commit',
    file: 'adapters/sqlite/events.ts',
    find: `    idle?.note(tenantId);
    return result;`,
    replace: '    return result;',
    killedBy: { file: 'test/adapters/sqlite/ahead.test.ts' },
  },
  {
    name: 'who still reads a page gets what was erased from it',
    file: 'adapters/sqlite/log/event-log.ts',
    find: 'version !== name.version && areErased(',
    replace: 'version !== name.version && !areErased(',
    killedBy: { file: 'test/adapters/sqlite/erased-rows.test.ts' },
  },
  {
    name: 'a connection that is lost while it is lent ends the process',
    file: 'adapters/postgres/database.ts',
    find: `client.on?.('error', ignore);`,
    replace: '',
    killedBy: { file: 'test/adapters/postgres/seams.test.ts', tests: 'are cut while they are lent' },
  },
  {
    name: 'a note has its number before others are told',
    file: 'adapters/postgres/control.ts',
    find: `await client.query('select pg_advisory_xact_lock($1)', [NOTES_LOCK]);`,
    replace: '',
    killedBy: { file: 'test/adapters/postgres/stores.test.ts', tests: 'a larger number' },
  },
  {
    name: 'who stores new names does not wait for who erases',
    file: 'adapters/postgres/append.ts',
    find: 'await client.query(SHARE_TENANT, [tenantId]);',
    replace: '',
    killedBy: { file: 'test/adapters/postgres/seams.test.ts', tests: 'beside each other' },
  },
  {
    name: 'who erases waits for nobody',
    file: 'adapters/postgres/append.ts',
    find: 'await client.query(LOCK_TENANT, [tenantId]);',
    replace: '',
    killedBy: { file: 'test/adapters/postgres/seams.test.ts', tests: 'beside each other' },
  },
  {
    name: 'a tenant that was dropped takes twins',
    file: 'adapters/postgres/append.ts',
    find: `if (dropped.rows.length > 0) throw new ApiError('tenantNotFound');`,
    replace: '',
    killedBy: { file: 'test/adapters/postgres/seams.test.ts', tests: 'beside each other' },
  },
  {
    name: 'an export takes its name before it is on the disk',
    file: 'adapters/cli/files/export-part.ts',
    find: 'fsyncSync(handle);',
    replace: '',
    killedBy: { file: 'test/adapters/cli/commands/export.test.ts' },
  },
  {
    name: 'a full disk leaves half a line',
    file: 'adapters/cli/files/export-part.ts',
    find: 'ftruncateSync(handle, position);',
    replace: '',
    killedBy: { file: 'test/adapters/cli/commands/export.test.ts' },
  },
  {
    name: 'one that dies while others start is not replaced',
    file: 'adapters/cli/server/worker-pool.ts',
    find: 'if (worker.isDead()) void replace(slot);',
    replace: '',
    killedBy: { file: 'test/adapters/cli/server/worker-pool.test.ts' },
  },
  {
    name: 'somebody else goes on with a session',
    file: 'src/core/identity/session-refresher.ts',
    find: ' && claims.subject === identity.subject',
    replace: '',
    killedBy: { file: 'test/core/identity/identities.test.ts' },
  },
  {
    name: 'a session that another has renewed meanwhile has ended',
    file: 'src/core/identity/session-refresher.ts',
    find: 'return next && renew(next);',
    replace: 'return undefined;',
    killedBy: { file: 'test/core/identity/identities.test.ts' },
  },
  {
    name: 'two change a session that both have read',
    file: 'src/core/access/credential-records.ts',
    find: 'if (before?.value.identity?.version !== version)',
    replace: 'if (before?.value.identity === undefined)',
    killedBy: { file: 'test/core/access/records/credential-records.test.ts' },
  },
  {
    name: 'closing cuts off what is in flight',
    file: 'adapters/node-http/connection/connections.ts',
    find: `which === 'all' || exchanges.length === 0`,
    replace: 'exchanges.length >= 0',
    killedBy: { file: 'test/adapters/node-http/close.test.ts' },
  },
  {
    name: 'an answer that broke off looks whole',
    file: 'adapters/node-http/exchange/writing.ts',
    find: `socket.resetAndDestroy();
      end(exchange);`,
    replace: `exchange.res.end();
      end(exchange);`,
    killedBy: { file: 'test/adapters/node-http/pieces.test.ts' },
  },
  {
    name: 'an accept error ends the process',
    file: 'adapters/node-http/server.ts',
    find: `server.on('error', (err) => reports.note('the server could not accept a connection', { err }));`,
    replace: '',
    killedBy: { file: 'test/adapters/node-http/accept.test.ts' },
  },
  {
    name: 'rows of a log that was erased meanwhile are taken in',
    file: 'src/core/columns/ahead/reading-ahead.ts',
    find: 'if (log.size() < end) throw',
    replace: 'if (end < 0) throw',
    killedBy: { file: 'test/core/columns/ahead/reading-ahead.test.ts' },
  },
  {
    name: 'instants that were read before an erasure are sorted with ids that are read after it',
    file: 'src/core/columns/order/order.ts',
    find: ' || sorting.version !== log.version',
    replace: '',
    killedBy: { file: 'test/core/columns/order/order.test.ts' },
  },
  {
    name: 'a column may be let go while a second question reads it',
    file: 'src/core/columns/parts/parts.ts',
    find: 'own.entry.pin();',
    replace: "if (name === '') own.entry.pin();",
    killedBy: { file: 'test/core/columns/column-index.test.ts' },
  },
  {
    name: 'an erased event keeps its identity',
    file: 'adapters/memory/event-log.ts',
    find: 'isErased(erased, row) ? undefined : segmentAt',
    replace: 'row < 0 ? undefined : segmentAt',
    killedBy: { file: 'test/adapters/memory/erasure.test.ts' },
  },
  {
    name: 'an event that came since loses its name',
    file: 'adapters/memory/event-log.ts',
    find: '} = withLater(chosen, query, later);',
    replace: '} = later.length < 0 ? withLater(chosen, query, later) : chosen;',
    killedBy: { file: 'test/adapters/memory/erasure.test.ts' },
  },
  {
    name: 'columns of an older version stay in the file',
    file: 'adapters/sqlite/sweeper.ts',
    find: '\n         AND version = (column_paths.log - ${CHUNKS_FIRST}) / ${LOGS_MAX}',
    replace: '',
    killedBy: { file: 'test/adapters/sqlite/erase-rows.test.ts' },
  },
  {
    name: 'an order takes in rows that others have taken in meanwhile',
    file: 'src/core/columns/order/order.ts',
    find: 'append(sliceSorted(sorted, done, sorted.local.length));',
    replace: 'append(sorted);',
    killedBy: { file: 'test/core/columns/ahead/reading-ahead.test.ts' },
  },
  {
    name: 'a chunk is used after one that another process has made with other codes',
    file: 'src/core/columns/column/stored-chunks.ts',
    find: 'after: saved[segment - 1] ?? 0,',
    replace: 'after: 0,',
    killedBy: { file: 'test/core/columns/column/small-chunks.test.ts' },
  },
  {
    name: 'a stored chunk has codes of erased rows',
    file: 'src/core/columns/column/column.ts',
    find: 'codes: hideErased(segment)',
    replace: 'codes: codes[segment] ?? NO_CODES',
    killedBy: { file: 'test/core/columns/column/small-chunks.test.ts' },
  },
  {
    name: 'a stored chunk has values that only erased rows had',
    file: 'src/core/columns/column/column.ts',
    find: 'added[i] = undefined;',
    replace: '',
    killedBy: { file: 'test/core/columns/column/small-chunks.test.ts' },
  },
  {
    name: 'a value that comes back stays left out of the stored chunks',
    file: 'src/core/columns/column/column.ts',
    find: 'if (leftOut.size > 0) restoreValues(added);',
    replace: '',
    killedBy: { file: 'test/core/columns/column/small-chunks.test.ts' },
  },
  {
    name: 'a chunk is loaded that gives a new code to a known value',
    file: 'src/core/columns/column/stored-chunks.ts',
    find: 'return encode(dictionary, value) === code;',
    replace: 'return encode(dictionary, value) >= 0;',
    killedBy: { file: 'test/core/columns/column/small-chunks.test.ts' },
  },
  {
    name: 'counts of the version before are used while an erasure is settled',
    file: 'src/core/columns/column/occurrences.ts',
    find: 'settled === version && log.version === version',
    replace: 'settled === version',
    killedBy: { file: 'test/core/columns/column/small-chunks.test.ts' },
  },
  {
    name: 'memory that an unused entry gives back still counts as spare',
    file: 'src/core/bounds/memory-budget.ts',
    find: 'if (places !== undefined) addSpare(account.owner, -bytes);',
    replace: '',
    killedBy: { file: 'test/core/bounds/memory-budget.test.ts' },
  },
  {
    name: 'a row that was erased before is subtracted again',
    file: 'src/core/columns/column/occurrences.ts',
    find: 'if (hasBit(erased, local) && !hasBit(before, local))',
    replace: 'if (hasBit(erased, local))',
    killedBy: { file: 'test/core/columns/column/small-chunks.test.ts' },
  },
  {
    name: 'erased rows that follow rows of the same byte are passed over',
    file: 'src/core/columns/log/erased-rows.ts',
    find: '(local & 7) === 0 && bitmap[local >> 3] === 0 ? 8 : 1',
    replace: 'bitmap[local >> 3] === 0 ? 8 : 1',
    killedBy: { file: 'test/core/columns/log/erased-rows.test.ts' },
  },
  {
    name: 'a scan of rows by number has erased rows',
    file: 'src/core/columns/selection/loops.ts',
    find: 'selection[row - from] = 0;',
    replace: 'continue;',
    killedBy: { file: 'test/core/columns/parts/small-chunks.test.ts' },
  },
  {
    name: 'the newest rows with a number are erased ones',
    file: 'src/core/columns/selection/selector.ts',
    find: '{ ...selector, of: narrowed(selector.of, test) }',
    replace: 'narrowed(selector.of, test)',
    killedBy: { file: 'test/core/columns/parts/small-chunks.test.ts' },
  },
  {
    name: 'a name that only erased events have is kept',
    file: 'src/core/columns/parts/snapshot.ts',
    find: 'guard(ALL_ROWS, bitmaps)',
    replace: '() => ALL_ROWS',
    killedBy: { file: 'test/core/columns/parts/small-chunks.test.ts' },
  },
  {
    name: 'erased rows in order of time are those beside them',
    file: 'src/core/columns/selection/loops.ts',
    find: '(erased[row >> 3]! >> (row & 7))',
    replace: '(erased[place >> 3]! >> (place & 7))',
    killedBy: { file: 'test/core/columns/parts/small-chunks.test.ts' },
  },
  {
    name: 'a question answers from parts of two versions',
    file: 'src/core/columns/parts/snapshot.ts',
    find: '  log.size();\n  const leaves',
    replace: '  const leaves',
    killedBy: { file: 'test/core/columns/parts/small-chunks.test.ts', tests: 'as a whole or not at all' },
  },
  {
    name: 'a question reads the codes of a column that ran out of memory',
    file: 'src/core/columns/sources/column-source.ts',
    find: 'const { codes, zoneMap } = column;\n    return (leaf) => {',
    replace: 'return (leaf) => {\n      const { codes, zoneMap } = column;',
    killedBy: { file: 'test/core/columns/sources/column-source.test.ts' },
  },
  {
    name: 'segments that a question has indexed are not stored',
    file: 'src/core/columns/ahead/column-indexing.ts',
    find: 'for (const column of columns) await column.save(pacer);',
    replace: '',
    killedBy: { file: 'test/core/columns/kept.test.ts' },
  },
  {
    name: 'a count of two tests counts erased rows',
    file: 'src/core/columns/selection/select.ts',
    find: 'total) - erased;',
    replace: 'total);',
    killedBy: { file: 'test/core/columns/parts/small-chunks.test.ts' },
  },
  {
    name: 'erased rows are taken out of a count although no test selects them',
    file: 'src/core/columns/selection/select.ts',
    find: 'count += Number(isSelected(of, segment, row));',
    replace: 'count += 1;',
    killedBy: { file: 'test/core/columns/parts/small-chunks.test.ts' },
  },
  {
    name: 'of many erased rows only the first are taken out of a count',
    file: 'src/core/columns/selection/select.ts',
    find: 'if (left === 0) return undefined;',
    replace: 'if (left === 0) return count;',
    killedBy: { file: 'test/core/columns/parts/small-chunks.test.ts' },
  },
  {
    name: 'a page has erased rows that pass its test',
    file: 'src/core/columns/selection/loops.ts',
    find: ' || hasBit(erased, row)',
    replace: '',
    killedBy: { file: 'test/core/columns/parts/small-chunks.test.ts' },
  },
  {
    name: 'groups count erased rows that pass a test',
    file: 'src/core/columns/groups/group-loops.ts',
    find: 'lanes[codes[row]!]! -= mask[tested[row]!]!;',
    replace: 'continue;',
    killedBy: { file: 'test/core/columns/parts/small-chunks.test.ts' },
  },
  {
    name: 'a segment of which all rows match is counted with its erased rows',
    file: 'src/core/columns/parts/snapshot.ts',
    find: "(pruneSegment(own, segment) === 'skip' ? 'skip' : 'scan')",
    replace: 'pruneSegment(own, segment)',
    killedBy: { file: 'test/core/columns/parts/small-chunks.test.ts' },
  },
  {
    name: 'events of one instant in two segments are not ordered by id',
    file: 'src/core/columns/selection/page.ts',
    find: 'else if (most === others) return',
    replace: 'else if (most < others) return',
    killedBy: { file: 'test/core/columns/selection/small-chunks.test.ts' },
  },
  {
    name: 'a page passes over more rows than its offset',
    file: 'src/core/columns/selection/skip.ts',
    find: 'const isTooMany = count > toSkip;',
    replace: 'const isTooMany = count < 0;',
    killedBy: { file: 'test/core/columns/selection/small-chunks.test.ts' },
  },
  {
    name: 'a public write key that is revoked while a body arrives still opens',
    file: 'src/core/access/service.ts',
    find: 'await proof?.confirm(',
    replace: 'await by.proof?.confirm(',
    killedBy: { file: 'test/core/access/service.test.ts', tests: 'was revoked while they came' },
  },
  {
    name: 'what is stored of one tenant counts twice where that of another could not be stored',
    file: 'src/core/access/ledger.ts',
    find: 'writing.delete(tenantId);',
    replace: '',
    killedBy: { file: 'test/core/access/refusals.test.ts', tests: 'adds what is stored once' },
  },
  {
    name: 'an event without an id changes the answers to all later requests of Amplitude',
    file: 'adapters/sdks/protocols/amplitude.ts',
    find:
      'async function find(\n  { text: body }: BatchText,\n  _request: RoutedRequest,\n' +
      '  { pacer, runtime }: FindingTools,\n): Promise<AmplitudeBatch> {\n  let isIdentified = true;',
    replace:
      'let isIdentified = true;\nasync function find(\n' +
      '  { text: body }: BatchText,\n  _request: RoutedRequest,\n' +
      '  { pacer, runtime }: FindingTools,\n): Promise<AmplitudeBatch> {',
    killedBy: {
      file: 'test/adapters/sdks/protocols/amplitude.test.ts',
      tests: 'could not be recognised again',
    },
  },
];
