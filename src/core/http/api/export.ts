import { whileReserved } from '../../bounds/while-reserved.ts';
import type { MemoryBudget } from '../../bounds/memory-budget.ts';
import type { Pacer, Scheduler } from '../../bounds/scheduler.ts';
import type { EventOperations } from '../../engine/engine.ts';
import { toEventJson, type Includable, type StoredEvent } from '../../event/event.ts';
import type { ExportQuery } from '../../query/parse-query.ts';
import { createCsv } from '../../table/csv.ts';
import type { BodyParsers } from '../memo.ts';
import type { Call, Question } from '../operation.ts';

interface ExportOptions extends Pick<BodyParsers, 'toExportQuery'> {
  readonly operations: EventOperations;
  readonly scheduler: Scheduler;
  readonly memory: MemoryBudget;
}

/** An output format of events. */
interface Form {
  readonly type: string;
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

function ndjson(include: readonly Includable[]): Form {
  const lineOf = (event: StoredEvent) => `${toEventJson(event, include)}\n`;
  return { type: NDJSON_TYPE, bytes: 0, head: '', lineOf };
}

/** Makes the operation that exports every event that matches, in one answer. */
export function createExport({ operations, scheduler, memory, toExportQuery }: ExportOptions) {
  async function formOf({ request }: Call, tenantId: string, { event, include }: ExportQuery): Promise<Form> {
    if (!wantsCsv(request.header('accept') ?? '')) return ndjson(include);
    const properties = await operations.properties(tenantId, event, request.signal);
    const bytes = properties.properties.reduce((sum, { path }) => sum + path.length, 0);
    return {
      type: `${CSV_TYPE}; charset=utf-8; header=present`,
      bytes: properties.properties.length * COLUMN_BYTES + bytes * 4,
      ...createCsv(properties, 'Accept', include),
    };
  }

  /** Writes the events as texts of a bounded length. A background job makes each text. */
  async function* write(
    { head, lineOf }: Form,
    pieces: AsyncIterable<readonly StoredEvent[]>,
    tenantId: string,
    { call, confirm }: { readonly call: Call; readonly confirm: () => Promise<void> },
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
    if (text !== '') yield text;
  }

  return {
    export: async (call, authorize) => {
      const { tenantId, asked, confirm } = await authorize(call, toExportQuery);
      const { signal } = call.request;
      const form = await formOf(call, tenantId, asked);
      const pieces = operations.export(tenantId, asked, signal);
      // An error before the first piece still becomes an error answer with the caller's limits and a log
      // entry.
      const first = await pieces.next();
      call.headers['Content-Type'] = form.type;
      const texts = write(form, goOn(first, pieces), tenantId, { call, confirm });
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

/** Whether an `Accept` header names CSV and does not prefer NDJSON. */
function wantsCsv(accept: string): boolean {
  const quality = (type: string) => {
    const range = accept.split(',').find((part) => part.split(';', 1)[0]!.trim().toLowerCase() === type);
    if (range === undefined) return 0;
    return Number(/;\s{0,9}q=([\d.]{1,9})/i.exec(range)?.[1] ?? 1);
  };
  const csv = quality(CSV_TYPE);
  return csv > 0 && csv >= quality(NDJSON_TYPE);
}
