import { describe, expect, it } from 'vitest';
import { createAdmission, createScheduler, ownerOf, type Admission } from '../../../../src/transport-kit.ts';
import { AT_ONCE } from '../../../support/resources.ts';

const COUNT = '/v1/api/query/count/shop';

/** Takes places for fresh paths of a network until there are none; how many there were. */
function fillFrom(admission: Admission, network: string): number {
  for (let taken = 0; ; taken++) {
    if (!admission.takePlace(admission.meet(network, `/v1/api/query/count/x${taken}`))) return taken;
  }
}

/** Admits a tenant from a network, as the service would. */
function admitOnce(admission: Admission, network: string, path: string, tenantId: string): void {
  admission.admit(admission.meet(network, path), tenantId);
}

describe('places', () => {
  it('are the network’s, whatever names it invents, and others find some', () => {
    const admission = createAdmission({ scheduler: AT_ONCE, placesMax: 100 });
    expect(fillFrom(admission, 'a')).toBe(25);
    expect(fillFrom(admission, 'b')).toBeGreaterThan(10);
  });

  it('are kept by half for who was admitted lately, from its network and for its path alone', () => {
    const admission = createAdmission({ scheduler: AT_ONCE, placesMax: 100 });
    admitOnce(admission, 'home', COUNT, 'shop-id');
    for (let i = 0; i < 1000; i++) fillFrom(admission, `network ${i}`);
    expect(admission.taken).toBe(50);
    const known = admission.meet('home', '/v1/api/query/count/%73hop?x=1');
    expect([ownerOf(known), admission.takePlace(known)]).toEqual(['shop-id', true]);
    for (const [network, path] of [
      ['elsewhere', COUNT],
      ['home', '/v1/api/query/shop'],
    ] as const) {
      expect(admission.takePlace(admission.meet(network, path))).toBe(false);
    }
  });

  it('become the tenant’s as soon as it is known, so that its network has its own again', () => {
    const admission = createAdmission({ scheduler: AT_ONCE, placesMax: 8 });
    const visitors = [1, 2].map(() => admission.meet('proxy', COUNT));
    for (const visitor of visitors) expect(admission.takePlace(visitor)).toBe(true);
    expect(admission.takePlace(admission.meet('proxy', '/other'))).toBe(false);
    for (const visitor of visitors) admission.admit(visitor, 'shop-id');
    expect(fillFrom(admission, 'proxy')).toBe(2);
    for (const visitor of visitors) admission.leavePlace(visitor);
    expect(admission.taken).toBe(2);
    expect(admission.takePlace(admission.meet('proxy', COUNT))).toBe(true);
  });

  it('of the others are there for a tenant that has its share', () => {
    const admission = createAdmission({ scheduler: AT_ONCE, placesMax: 8 });
    admitOnce(admission, 'home', COUNT, 'shop-id');
    const taken = [1, 2, 3, 4, 5].map(() => admission.takePlace(admission.meet('home', COUNT)));
    expect(taken).toEqual([true, true, true, true, false]);
  });
});

describe('turns', () => {
  /** A process whose clock goes on by a millisecond for each request, and what was begun in which order. */
  function createProcess() {
    let time = 0;
    let turns: (() => void)[] = [];
    const begun: string[] = [];
    const scheduler = createScheduler({
      now: () => time,
      nextTurn: () => new Promise<void>((resolve) => turns.push(resolve)),
    });
    const admission = createAdmission({ scheduler, placesMax: 1000 });
    return {
      admission,
      begun,
      come: (network: string, path: string, name: string, signal = { aborted: false }) =>
        admission.inTurn(admission.meet(network, path), signal, () => {
          begun.push(name);
          time += 1;
        }),
      turn: async () => {
        await new Promise(setImmediate);
        const ended = turns;
        turns = [];
        for (const end of ended) end();
        await new Promise(setImmediate);
      },
    };
  }

  it('come to a tenant that is known before a thousand networks of strangers', async () => {
    const { admission, begun, come, turn } = createProcess();
    admitOnce(admission, 'home', COUNT, 'shop-id');
    for (let i = 0; i < 1000; i++) void come(`network ${i}`, `/fresh/${i}`, `stranger ${i}`);
    for (let i = 0; i < 5; i++) void come('home', COUNT, 'known');
    for (let i = 0; i < 5; i++) await turn();
    // In five turns of the loop some twenty are begun, of which every other one is the tenant's.
    expect(begun.lastIndexOf('known')).toBeLessThan(16);
    expect(begun.filter((name) => name === 'known')).toHaveLength(5);
  });

  it('are shared by networks, however many paths one of them names', async () => {
    const { begun, come, turn } = createProcess();
    for (let i = 0; i < 400; i++) void come('crowd', `/fresh/${i}`, 'crowd');
    void come('single', '/fresh/single', 'single');
    await turn();
    await turn();
    expect(begun.indexOf('single')).toBeGreaterThan(0);
    expect(begun.indexOf('single')).toBeLessThan(8);
  });

  it('go to nobody whose client has gone', async () => {
    const { begun, come, turn } = createProcess();
    const signal = { aborted: false };
    for (let i = 0; i < 6; i++) void come('a', `/fresh/${i}`, `${i}`);
    const gone = come('b', '/fresh', 'gone', signal);
    const refusal = expect(gone).rejects.toMatchObject({ name: 'AbortError' });
    signal.aborted = true;
    for (let i = 0; i < 3; i++) await turn();
    await refusal;
    expect(begun).toEqual(['0', '1', '2', '3', '4', '5']);
  });
});

it('forgets nobody of the last four thousand who were admitted', () => {
  const admission = createAdmission({ scheduler: AT_ONCE, placesMax: 10 });
  for (let i = 0; i < 20_000; i++) admitOnce(admission, `network ${i}`, COUNT, `tenant ${i}`);
  const owner = (i: number) => ownerOf(admission.meet(`network ${i}`, COUNT));
  expect([owner(19_999), owner(16_000), owner(0)]).toEqual(['tenant 19999', 'tenant 16000', 'network 0']);
});
