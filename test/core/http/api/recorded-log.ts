import type { StoredEvent } from '../../../../src/store-kit.ts';

const DAY_MS = 86_400_000;
const START = Date.UTC(2024, 4, 17);

const NAMES = ['viewed', 'ordered', 'left', 'größe'];
const PLANS = ['"pro"', '"free"', 'true', 'null', '5', '["a"]', '{"of":"b"}', undefined];
const TOTALS = ['0', '0.1', '-2.5', '64', '64', '1e21', '"64"', undefined, '1152921504606846976'];
const TAGS = ['[]', '["a","b"]', '[1,true]', '[{"k":1}]', '"a"', undefined];

/** The same small numbers each time, in no order that shows. */
function createDraw(): (below: number) => number {
  let state = 20_240_517;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

/** Some events of four days, several of them of one instant, and values of every type. */
export function recordedLog(): readonly StoredEvent[] {
  const draw = createDraw();
  const one = <T>(from: readonly T[]): T => from[draw(from.length)]!;
  return Array.from({ length: 60 }, (_, i) => {
    const eventTs = START + draw(40) * (DAY_MS / 10);
    const texts = { plan: one(PLANS), total: one(TOTALS), tags: one(TAGS), 'a.key': one(['1', undefined]) };
    const device = draw(3) === 0 ? '{"os":"x","v":2}' : undefined;
    const entries = Object.entries({ i: `${i}`, device, ...texts }).filter(([, text]) => text !== undefined);
    return {
      ...{ eventName: one(NAMES), userId: `u${draw(6)}`, eventTs, insertId: `id-${(i * 7) % 61}` },
      propertiesJson: `{${entries.map(([key, text]) => `"${key}":${text}`).join(',')}}`,
      receivedAt: eventTs + one([0, 500, 90_000, 7_200_000, 5 * DAY_MS]),
    };
  });
}
