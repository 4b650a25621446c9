import { onTestFinished } from 'vitest';
import { createPlace, type Place } from './command.ts';
import { toNdjson } from './ndjson.ts';

/** As many events of one name as NDJSON, each of about 200 bytes, all of different times. */
export function eventsOf(name: string, count: number): string {
  return toNdjson(
    Array.from({ length: count }, (_, i) => ({
      eventName: name,
      userId: `u-${i % 50}`,
      eventTs: 1_700_000_000_000 + i,
      insertId: `${name}-${i}`,
      properties: { number: i, text: 'x'.repeat(100) },
    })),
  );
}

/** A place with the tenant `shop` and its 2,000 events `before`. It goes when the test ends. */
export async function createFilledPlace(): Promise<Place> {
  const place = createPlace();
  onTestFinished(() => place.remove());
  await place.ok(['tenant', 'create', 'shop']);
  await place.import('shop', eventsOf('before', 2000));
  return place;
}
