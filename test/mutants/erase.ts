import { memory, mutantsOf, sqlite } from './mutant.ts';

const ERASED = '(is erased by a query|while events are erased|an erasure lasts)';
const FILES = 'adapters/sqlite/erase-rows';
const ROWS = 'adapters/sqlite/erased-rows';
const NAMES = 'adapters/sqlite/open-logs';

const INHERITED = 'core/columns/erasure/inherited';
const BOOKED = { file: 'test/core/columns/erased.test.ts', tests: 'books what is known' };

/** How events are erased by a query, whatever keeps them. */
export const ERASURE = mutantsOf('src/core/columns', [
  [
    'a row within a gap is that before it',
    'erasure/survivors.ts',
    'starts[range]! - before[range]! <= row)',
    'starts[range]! - before[range]! < row)',
    sqlite(ERASED),
  ],
  [
    'a name stays though its last event goes',
    'erasure/choose.ts',
    'ofChosen[code]! > 0 && ofChosen[code] === ofAll[code]',
    'ofChosen[code]! < 0',
    sqlite(ERASED),
  ],
  [
    'a name goes with one of its events',
    'erasure/choose.ts',
    ' && ofChosen[code] === ofAll[code]',
    '',
    sqlite(ERASED),
  ],
  [
    'rows stand for their arrivals',
    'erasure/choose.ts',
    'arrivals[place] = survivors.arrivalOf(row)',
    'arrivals[place] = row',
    sqlite(ERASED),
  ],
  ['a position counts rows', 'arrivals.ts', 'row: survivors?.arrivalOf(row) ?? row,', 'row,', memory(ERASED)],
  [
    'an erasure that was overtaken is done',
    'erasure/erasing.ts',
    'if (await commit(chosen)) {',
    'if ((await commit(chosen)) || true) {',
    FILES,
  ],
  ['erased rows are not booked', 'question/parts.ts', 'if (kept.book(bytes)) return', 'return', BOOKED],
  ['erased rows are booked for ever', 'question/parts.ts', 'survivors?.retire();', '', BOOKED],
  [
    'erased rows are known although their memory was taken',
    'column-index.ts',
    'const evicted = () => (indexes.get(tenantId) === index ? forget(tenantId) : undefined);',
    'const evicted = () => undefined;',
    BOOKED,
  ],
  [
    'an erased row stays in the order behind a later one',
    'order/inherited-order.ts',
    'erased[count - 1]! >= row',
    'erased[count - 1]! > row',
    'core/columns/order/inherited-order',
  ],
  ['columns keep erased rows', 'erasure/inherited.ts', 'if (row === gone[skip]) {', 'if (row < 0) {'],
  [
    'the instants of erased rows stay',
    'order/inherited-order.ts',
    '[next, count] = [next + 1, count + 1]',
    'count += 1',
    'core/columns/order/inherited-order',
  ],
  [
    'what nobody asks for is read when some of a log was erased',
    'erasure/inheriting.ts',
    'while (column.restore()) await pacer.pause();',
    'await cover(column, log.size(), pacer);',
    INHERITED,
  ],
  [
    'what nobody asks for is taken over beside what is asked',
    'column-index.ts',
    'if (before !== undefined) heirs.add(index);',
    'if (before !== undefined) inheritRest(tenantId, (heirs.add(index), index));',
    INHERITED,
  ],
  [
    'what ends early is taken over',
    'erasure/inheriting.ts',
    ' && column.covered * 2 >= log.size()',
    '',
    INHERITED,
  ],
  [
    'the order keeps erased rows',
    'order/inherited-order.ts',
    'if (erased[count] !== row) rows',
    'rows',
    INHERITED,
  ],
  [
    'what is left of a column is read again',
    'question/parts.ts',
    'before && inheritCodes(before, path, question)',
    'undefined',
    INHERITED,
  ],
  [
    'what is left of the order is read again',
    'question/parts.ts',
    'before && inheritOrder(before, question)',
    'undefined',
    INHERITED,
  ],
  [
    'an index takes over from another log',
    'erasure/inherited.ts',
    'if (now?.log !== (then?.log ?? before.log.id))',
    'if (now === undefined)',
  ],
  [
    'a question that was overtaken takes the columns with it',
    'column-index.ts',
    'open(tenantId)?.id === index?.log.id) forget(tenantId);',
    'true) forget(tenantId);',
    INHERITED,
  ],
  ['an edition is never let go of', 'question/parts.ts', '    before?.dispose();\n', '', INHERITED],
  [
    'a name outlives its events in a later edition',
    'erasure/choose.ts',
    'end: survivors?.arrivalOf(size) ?? size',
    'end: size',
    'adapters/sqlite/erase-rows',
  ],
  [
    'rows are erased where the order has others',
    'erasure/choose.ts',
    'isChosen[block.rows?.[place] ?? place] = 1',
    'isChosen[place] = 1',
    'core/columns/erased',
  ],
]);

/** How the memory store erases by a query. */
export const MEMORY_ERASURE = mutantsOf('adapters/memory', [
  [
    'what comes while events are erased is lost',
    'erasure.ts',
    'for (let from = 0; from < before.size();',
    'for (let from = 0, size = before.size(); from < size;',
    'adapters/memory/erasure',
  ],
  [
    'what was erased before comes back into positions',
    'erasure.ts',
    'arrivals, survivors)',
    'arrivals)',
    memory(ERASED),
  ],
  [
    'a page goes on with events that are erased',
    'event-log.ts',
    'piece.some((row) => erased![row] === 1)',
    'piece.length < 0',
    'adapters/memory/erasure',
  ],
  [
    'a page ends where others are erased',
    'event-log.ts',
    'rows === undefined ? 1 : 0',
    '1',
    'adapters/memory/erasure',
  ],
]);

/** How the SQLite store erases by a query. */
export const SQLITE_ERASURE = mutantsOf('adapters/sqlite', [
  [
    'what is decided to be gone is read',
    'log/event-log.ts',
    'hidden.length === 0',
    'hidden.length >= 0',
    FILES,
  ],
  [
    'an event that waits for its removal keeps its identity',
    'writes/append.ts',
    ' && edition > 0 && giveWay(number, eventTs, insertId)',
    ' && edition < 0 && giveWay(number, eventTs, insertId)',
    FILES,
  ],
  [
    'an erasure forgets the one before it',
    'writes/erase-rows.ts',
    'before === undefined ? bits : join(bits, before.bits)',
    'bits',
    sqlite(ERASED),
  ],
  [
    'what came since loses its name',
    'writes/erase-rows.ts',
    'if (!kept.has(name)) removeName',
    'removeName',
    FILES,
  ],
  [
    'a removal goes on at the beginning of the next chunk',
    'writes/erase-rows.ts',
    'swept = local;\n        break;',
    'break;',
    FILES,
  ],
  [
    'what cannot be removed is said to be gone',
    'compact.ts',
    'await sweeper.sweep(() => undefined);',
    'await sweeper.sweep(() => undefined).catch(() => false);',
    'adapters/sqlite/erase',
  ],
  [
    'columns of another edition stay in the file',
    'log/sweeper.ts',
    ' AND edition = column_paths.log / 2097152',
    '',
    FILES,
  ],
  [
    'a chunk of another edition is written',
    'writes/chunks.ts',
    'if (selectEdition.get(number, edition) === undefined) return false;',
    '',
    FILES,
  ],
  ['erased rows are counted once', 'writes/erase-rows.ts', 'bits: all }', 'bits }', ROWS],
  ['large rows go at once', 'writes/erase-rows.ts', ' || bytes > SWEEP_BYTES', '', ROWS],
  ['large events go at once', 'writes/erase.ts', 'large?.id ?? end', 'end', ROWS],
  ['bits of a log outlive it', 'writes/erase.ts', '    removeErased.run(number);\n', '', ROWS],
  ['names are remembered without end', 'writes/open-logs.ts', 'letters > LETTERS_MAX || ', '', NAMES],
  [
    'names are forgotten for ever',
    'writes/open-logs.ts',
    'known.clear();\n    letters = 0;',
    'known.clear();',
    NAMES,
  ],
  ['a log grows into the next', 'writes/append.ts', 'size + events.length > ROWS_PER_LOG', 'size < 0', ROWS],
  ['rows behind a byte are passed over', 'log/erased-rows.ts', 'local |= 7', 'local += 7', ROWS],
  [
    'rows behind the first of a word are not erased',
    'log/erased-rows.ts',
    'left &= left - 1',
    'left = 0',
    ROWS,
  ],
  ['an old edition has all its rows', 'log/erased-rows.ts', 'edition = ? ORDER', 'edition >= ? ORDER', ROWS],
  [
    'a page has the events of others',
    'log/pick-events.ts',
    'read.length !== piece',
    'read.length > piece',
    ROWS,
  ],
  ['columns outlive their log', 'events.ts', '    index.forget(tenantId);\n', '', ROWS],
  [
    'of chunks behind the first nothing is erased',
    'log/erased-rows.ts',
    'isErased(bits, row % ERASED_ROWS)',
    'isErased(bits, row)',
    ROWS,
  ],
  [
    'a step has large events that were erased',
    'log/event-log.ts',
    'findStepEnd(idOf(from), end)',
    'findStepEnd(base + from, end)',
    'adapters/sqlite/erase-rows',
  ],
  [
    'a page is as large as other events',
    'log/event-log.ts',
    'pick.bytesOf(rows.map(idOf))',
    'pick.bytesOf(rows.map((row) => base + row))',
    ROWS,
  ],
]);
