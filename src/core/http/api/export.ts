import { ApiError } from '../../base/errors.ts';
import { whileReserved } from '../../bounds/while-reserved.ts';
import type { MemoryBudget } from '../../bounds/memory-budget.ts';
import type { Pacer, Scheduler } from '../../bounds/scheduler.ts';
import type { EventOperations } from '../../engine/engine.ts';
import { toEventJson, type Includable, type StoredEvent } from '../../event/event.ts';
import { parseExportBody, type ExportQuery } from '../../query/parse-query.ts';
import { createCsv } from '../../table/csv.ts';
import { negotiate, type Chosen, type Offer } from '../accept.ts';
import type { ParserOf } from '../memo.ts';
import type { Call, Question } from '../operation.ts';

interface ExportOptions {
  readonly parserOf: ParserOf;
  readonly operations: EventOperations;
  readonly scheduler: Scheduler;
  readonly memory: MemoryBudget;
}

/** An output format of events. */
interface Form {
  /** About how many bytes of memory it holds while the export runs. */
  readonly bytes: number;
  /** The text before the first event. */
  readonly head: string;
  readonly lineOf: (event: StoredEvent) => string;
}

/** About how many bytes of memory a column takes besides its path. */
const COLUMN_BYTES = 512;

/** About how many characters are sent at once: a table with many columns is longer than its events. */
const TEXT_LENGTH = 524_288;

const CSV_TYPE = 'text/csv';
const NDJSON_TYPE = 'application/x-ndjson';

/** Whether the last line says that it is the last. */
const END = { end: ['absent', 'present'] } as const;
const UTF8 = { charset: ['utf-8'] } as const;
const SEPARATORS = { comma: ',', semicolon: ';', tab: '\t' } as const;

/** What an export can be. NDJSON has other names, too. */
const OFFERS: readonly Offer[] = [
  ...[NDJSON_TYPE, 'application/ndjson', 'application/jsonl'].map((type) => ({
    type,
    parameters: { ...UTF8, ...END },
  })),
  {
    type: CSV_TYPE,
    parameters: {
      ...{ ...UTF8, ...END, header: ['present'], bom: ['absent', 'present'] },
      times: ['iso', 'spreadsheet'],
      separator: Object.keys(SEPARATORS),
    },
  },
];

/**
 * The last line of an export whose reader asked for it. No other line is like it, and no part of one: events
 * have a name, rows have several cells, and a quote within a cell is doubled. How an answer ends says less:
 * what HTTP/1.0 carries ends with its connection, however that ends.
 */
const LAST_LINES = { ndjson: '{"end":true}\n', csv: '"end"\r\n' } as const;

function ndjson(include: readonly Includable[]): Form {
  const lineOf = (event: StoredEvent) => `${toEventJson(event, include)}\n`;
  return { bytes: 0, head: '', lineOf };
}

/** Chooses the format that a request asks for. Throws ApiError: 406, 426. */
function chooseType({ request }: Call): Chosen {
  const chosen = negotiate(request.header('accept'), OFFERS);
  if (request.protocolVersion === '1.0' && chosen.parameters.end !== 'present')
    throw new ApiError('oldHttp', [], { headers: { Upgrade: 'HTTP/1.1' } });
  return chosen;
}

/** The media type with the parameters that a reader has to know. */
function toContentType({ type, parameters: { end, bom, separator, times } }: Chosen): string {
  const named = type === CSV_TYPE ? ['charset=utf-8', 'header=present'] : [];
  if (bom === 'present') named.push('bom=present');
  if (separator !== undefined && separator !== 'comma') named.push(`separator=${separator}`);
  if (times === 'spreadsheet') named.push('times=spreadsheet');
  if (end === 'present') named.push('end=present');
  return [type === CSV_TYPE ? type : NDJSON_TYPE, ...named].join('; ');
}

interface WriteOptions {
  readonly call: Call;
  readonly confirm: () => Promise<void>;
  /** What follows the last event; empty for nothing. */
  readonly lastLine: string;
}

/** Makes the operation that exports every event that matches, in one answer. */
export function createExport({ operations: all, scheduler, memory, parserOf }: ExportOptions) {
  async function formOf(
    { request }: Call,
    tenantId: string,
    { event, include }: ExportQuery,
    { type, parameters }: Chosen,
  ): Promise<Form> {
    if (type !== CSV_TYPE) return ndjson(include);
    const properties = await all.properties(tenantId, event, request.signal);
    const separator = SEPARATORS[parameters.separator as keyof typeof SEPARATORS];
    const bytes = properties.properties.reduce((sum, { path }) => sum + path.length, 0);
    return {
      bytes: properties.properties.length * COLUMN_BYTES + bytes * 4,
      ...createCsv(properties, 'Accept', {
        ...{ include, separator, hasBom: parameters.bom === 'present' },
        hasSheetTimes: parameters.times === 'spreadsheet',
      }),
    };
  }

  /** Writes the events as texts of a bounded length. A background job makes each text. */
  async function* write(
    { head, lineOf }: Form,
    pieces: AsyncIterable<readonly StoredEvent[]>,
    tenantId: string,
    { call, confirm, lastLine }: WriteOptions,
  ): AsyncGenerator<string, void> {
    const { notes, request } = call;
    let text = head;
    notes.rows = 0;
    let isFirst = true;
    for await (const piece of pieces) {
      notes.rows += piece.length;
      for (let at = 0; at < piece.length;) {
        const job = async (pacer: Pacer) => {
          while (at < piece.length && text.length < TEXT_LENGTH) {
            text += lineOf(piece[at++]!);
            // A line with ten thousand cells takes milliseconds, so each line may yield.
            const pause = pacer.yieldIfDue();
            if (pause !== undefined) await pause;
          }
        };
        await scheduler.run(tenantId, request.signal, job, 'background');
        // The client may read slowly and the job may pause, and the key may have ended meanwhile.
        if (!isFirst) await confirm();
        isFirst = false;
        yield text;
        text = '';
      }
    }
    if (text + lastLine !== '') yield text + lastLine;
  }

  return {
    export: async (call, authorize) => {
      let chosen: Chosen | undefined;
      const parse = (text: string) => {
        chosen = chooseType(call);
        return parserOf(parseExportBody)(text);
      };
      // The columns of a table are the properties of all events.
      const ofAll = () => (chooseType(call).type === CSV_TYPE ? 'A table' : undefined);
      const options = { takesAnyAccept: true, ofAll };
      const { tenantId, asked, operations, confirm } = await authorize(call, parse, options);
      const { type, parameters } = chosen!;
      const { signal } = call.request;
      const form = await formOf(call, tenantId, asked, chosen!);
      const pieces = operations.export(tenantId, asked, signal);
      // An error before the first piece still becomes an error answer with the caller's limits and a log
      // entry.
      const first = await pieces.next();
      call.headers['Content-Type'] = toContentType(chosen!);
      const lastLine = parameters.end === 'present' ? LAST_LINES[type === CSV_TYPE ? 'csv' : 'ndjson'] : '';
      const texts = write(form, goOn(first, pieces), tenantId, { call, confirm, lastLine });
      const body = whileReserved(memory.reservation(tenantId), form.bytes, texts);
      return { status: 200, headers: call.headers, body };
    },
  } satisfies Record<string, Question>;
}

/** All pieces of a generator whose first piece was already read. */
async function* goOn<T>(first: IteratorResult<T, void>, rest: AsyncGenerator<T, void>): AsyncGenerator<T> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}
