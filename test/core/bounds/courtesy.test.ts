import { expect, it } from 'vitest';
import { createCourtesy } from '../../../src/core/bounds/courtesy.ts';

/** A courtesy whose rests end when they are told to. */
function openCourtesy() {
  const rests: (() => void)[] = [];
  const courtesy = createCourtesy({ sleep: () => new Promise((resolve) => rests.push(resolve)) });
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
  /** Ends the one rest that there is. */
  const endRest = async () => {
    await nextTurn();
    expect(rests).toHaveLength(1);
    rests.shift()!();
    await nextTurn();
  };
  return { courtesy, rests, endRest };
}

const STAYS = { aborted: false };

it('rests after a step only where somebody came since the step before', async () => {
  const { courtesy, endRest } = openCourtesy();
  courtesy.note();
  const step = courtesy.stepper('a', STAYS);
  expect(step()).toBeUndefined();
  courtesy.note();
  const rest = step();
  expect(rest).toBeDefined();
  expect(step()).toBeUndefined();
  await endRest();
  await rest;
  courtesy.note();
  expect(step()).toBeDefined();
});

it('lets several rest one after the other, so that together they take no more than one', async () => {
  const { courtesy, rests, endRest } = openCourtesy();
  const steps = ['a', 'a', 'a'].map((owner) => courtesy.stepper(owner, STAYS));
  courtesy.note();
  let ended = 0;
  for (const step of steps) void step()!.then(() => (ended += 1));
  for (let each = 1; each <= steps.length; each++) {
    await endRest();
    expect(ended).toBe(each);
  }
  expect(rests).toHaveLength(0);
});

it('lets who rests alone rest no longer for the many streams of another', async () => {
  const { courtesy, endRest } = openCourtesy();
  const many = Array.from({ length: 1000 }, () => courtesy.stepper('many', STAYS));
  const alone = courtesy.stepper('alone', STAYS);
  courtesy.note();
  let ended = 0;
  for (const step of many) void step();
  for (let round = 1; round <= 5; round++) {
    courtesy.note();
    void alone()!.then(() => (ended += 1));
    await endRest();
    await endRest();
    expect(ended).toBe(round);
  }
});

it('lets nobody rest behind those whose client has left', async () => {
  const { courtesy, endRest } = openCourtesy();
  const left = { aborted: false };
  const steps = [left, left, STAYS].map((signal) => courtesy.stepper('a', signal));
  courtesy.note();
  const ends = steps.map((step) => step()!);
  left.aborted = true;
  await endRest();
  await Promise.all(ends);
});

it('lets nobody rest where there is no sleep', () => {
  const courtesy = createCourtesy({});
  const step = courtesy.stepper('a', STAYS);
  courtesy.note();
  expect(step()).toBeUndefined();
});
