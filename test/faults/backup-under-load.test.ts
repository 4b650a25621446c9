import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createPlace, type Place, type Server } from '../adapters/cli/command.ts';
import { FAULTS } from './support/scale.ts';

/** The rate that is offered. What a machine takes of it is said and not asserted. */
const EVENTS_A_SECOND = 2_000;
const BATCH_EVENTS = 100;
const BATCH_MS = (BATCH_EVENTS * 1_000) / EVENTS_A_SECOND;
/** A server that does not keep up gets no more requests at once than this. */
const UNANSWERED_MAX = 20;
const BACKUPS = FAULTS.long ? 5 : 1;
/** Every backup begins when so much more is acknowledged, so that each copies a larger file. */
const BATCHES_BETWEEN = FAULTS.long ? 200 : 20;

/** The sending: the number of each batch that was sent, and of each that was acknowledged. */
interface Load {
  readonly sent: Set<number>;
  readonly acknowledged: Set<number>;
  /** Sends no more, and waits for the answers; the rate that was reached, and refusals. */
  stop(): Promise<{ readonly rate: number; readonly wrong: readonly string[] }>;
}

const idOf = (batch: number, i: number) => `${batch}-${i}`;

function bodyOf(batch: number): string {
  const events = Array.from({ length: BATCH_EVENTS }, (_, i) => ({
    ...{ eventName: `name-${i % 7}`, userId: `u-${i % 50}`, insertId: idOf(batch, i) },
    // Batches overlap in time, so none of them is a range of the export.
    eventTs: 1_700_000_000_000 + ((batch * 37 + i) % 5_000),
    properties: { batch, i, text: 'ü'.repeat(20) },
  }));
  return JSON.stringify(events);
}

/** Begins to send batches at their times, also where earlier ones have no answer yet. */
function load({ url }: Server): Load {
  const [sent, acknowledged] = [new Set<number>(), new Set<number>()];
  const open = new Set<Promise<void>>();
  const wrong: string[] = [];
  const beganAt = performance.now();
  let isOver = false;

  async function send(batch: number): Promise<void> {
    const headers = { 'Content-Type': 'application/json' };
    const init = { method: 'POST', headers, body: bodyOf(batch) };
    try {
      const answer = await fetch(`${url}/v1/events/shop/multi`, init);
      const text = await answer.text();
      const isStored = answer.status === 200 && text.startsWith(`{"accepted":${BATCH_EVENTS},`);
      if (isStored) acknowledged.add(batch);
      else wrong.push(`${batch}: ${answer.status} ${text}`);
    } catch (error) {
      wrong.push(`${batch}: ${String(error)}`);
    }
  }

  const sending = (async () => {
    for (let batch = 0; !isOver; batch++) {
      const due = beganAt + batch * BATCH_MS - performance.now();
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, due)));
      while (open.size >= UNANSWERED_MAX) await Promise.race(open);
      sent.add(batch);
      const answered: Promise<void> = send(batch).then(() => void open.delete(answered));
      open.add(answered);
    }
    await Promise.all(open);
  })();

  return {
    sent,
    acknowledged,
    stop: async () => {
      isOver = true;
      await sending;
      const seconds = (performance.now() - beganAt) / 1_000;
      return { rate: Math.round((acknowledged.size * BATCH_EVENTS) / seconds), wrong };
    },
  };
}

/** The lines of an export, and the batch of each. */
async function exported(place: Place, db: string): Promise<readonly (readonly [string, number])[]> {
  const text = await place.ok(['export', 'shop', '--db', db], { process: true });
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => [line, (JSON.parse(line) as { properties: { batch: number } }).properties.batch]);
}

it(
  'a backup under load is one moment of the file, byte for byte',
  async () => {
    const place = createPlace();
    onTestFinished(() => place.remove());
    await place.ok(['tenant', 'create', 'shop', '--ingestion', 'none'], { process: true });
    const server = await place.serve(['serve']);
    const running = load(server);
    const backups = [];
    for (let i = 0; i < BACKUPS; i++) {
      const enough = (i + 1) * BATCHES_BETWEEN;
      while (running.acknowledged.size < enough) await new Promise((resolve) => setTimeout(resolve, 20));
      const file = join(place.folder, `backup-${i}.db`);
      const before = [...running.acknowledged];
      await place.ok(['backup', file], { process: true });
      backups.push({ file, before, after: new Set(running.sent) });
    }
    const { rate, wrong } = await running.stop();
    expect(wrong).toEqual([]);
    expect(await server.stop()).toBe(0);

    const all = await exported(place, place.db);
    expect(all.length).toBe(running.sent.size * BATCH_EVENTS);
    for (const [i, { file, before, after }] of backups.entries()) {
      const restored = join(place.folder, `restored-${i}`, 'events.db');
      await place.ok(['restore', file, '--db', restored], { process: true });
      const found = await exported(place, restored);
      const batches = new Set(found.map(([, batch]) => batch));
      expect(before.filter((batch) => !batches.has(batch))).toEqual([]);
      expect([...batches].filter((batch) => !after.has(batch))).toEqual([]);
      // Of each batch all is there or nothing, in the same bytes and in the same order.
      const due = all.filter(([, batch]) => batches.has(batch));
      const toText = (lines: typeof all) => lines.map(([line]) => line).join('\n');
      expect(toText(found) === toText(due)).toBe(true);
    }
    const counts = backups.map(({ before }) => before.length * BATCH_EVENTS).join(', ');
    console.log(
      `backups under load: ${EVENTS_A_SECOND} events a second offered, ${rate} reached; ` +
        `${BACKUPS} begun at ${counts} acknowledged events, of ${all.length} in the end`,
    );
  },
  FAULTS.long ? 900_000 : 300_000,
);
