import { describe, expect, it } from 'vitest';
import { readPieces, type TimeZone } from '../../../src/core/base/zone.ts';
import { plainClock } from '../../conformance/plain-clock.ts';

const DAY_MS = 86_400_000;

/** The instants from 1970 to 2037 at which a clock changes. */
function changesOf(pieceAt: TimeZone['pieceAt']): number[] {
  const changes: number[] = [];
  let piece = pieceAt(0);
  while (piece.until < Date.UTC(2038, 0)) {
    const next = pieceAt(piece.until);
    if (next.offset !== piece.offset) changes.push(next.from);
    piece = next;
  }
  return changes;
}

describe('the clock of a zone', () => {
  it('is the one that Intl shows, hour by hour', () => {
    // A year with a skipped day, one with changes by half an hour and one with four changes.
    const years = [
      ['Pacific/Apia', 2011],
      ['Australia/Lord_Howe', 1985],
      ['Africa/Cairo', 2014],
    ] as const;
    for (const [name, year] of years) {
      const pieceAt = readPieces(name)!;
      const clock = plainClock(name);
      for (let at = Date.UTC(year, 0); at < Date.UTC(year + 1, 0); at += 3_600_000) {
        const { from, until, offset } = pieceAt(at);
        expect([at, from <= at && at < until, offset]).toEqual([at, true, clock.offsetAt(at)]);
      }
    }
  });

  it('is read to the second where it changes, and to the second of its offset', () => {
    const berlin = readPieces('Europe/Berlin')!;
    const change = Date.UTC(2024, 9, 27, 1);
    expect([berlin(change - 1).offset, berlin(change).offset]).toEqual([7_200_000, 3_600_000]);
    expect([berlin(change - 1).until, berlin(change).from]).toEqual([change, change]);
    expect(readPieces('Africa/Monrovia')!(0).offset).toBe(-(44 * 60 + 30) * 1000);
  });

  it('stays as it is where no event can be', () => {
    const pieceAt = readPieces('Asia/Tokyo')!;
    const [first, last] = [pieceAt(-62_167_219_200_000), pieceAt(253_402_300_799_999)];
    expect([first.from, last.until, first.offset, last.offset]).toEqual([
      ...[-Infinity, Infinity, 32_400_000, 32_400_000],
    ]);
    expect(pieceAt(-Infinity)).toEqual(first);
    expect(pieceAt(first.until).from).toBe(first.until);
    expect(pieceAt(last.from - 1).until).toBe(last.from);
  });

  it('changes at most once between two looks: no zone changes twice in six days', () => {
    // Those with the most changes, and the one whose two are the nearest: 167 hours apart.
    for (const name of ['America/Boa_Vista', 'Africa/Casablanca', 'Africa/Cairo', 'Asia/Gaza']) {
      const changes = changesOf(readPieces(name)!);
      const gaps = changes.slice(1).map((change, i) => change - changes[i]!);
      expect(Math.min(...gaps)).toBeGreaterThan(6 * DAY_MS);
    }
  });

  it('of a zone that the runtime lacks is not read', () => {
    expect(readPieces('Mars/Olympus')).toBeUndefined();
  });
});
