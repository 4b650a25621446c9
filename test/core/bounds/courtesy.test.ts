import { expect, it } from 'vitest';
import { createCourtesy } from '../../../src/core/bounds/courtesy.ts';

/** A courtesy whose rests end when they are told to. */
function openCourtesy() {
  const rests: (() => void)[] = [];
  const courtesy = createCourtesy({ sleep: () => new Promise((resolve) => rests.push(resolve)) });
  return { courtesy, rests };
}

it('rests after a step only where somebody came since the step before', async () => {
  const { courtesy, rests } = openCourtesy();
  courtesy.note();
  const step = courtesy.stepper();
  expect(step()).toBeUndefined();
  courtesy.note();
  const rest = step();
  expect(rest).toBeDefined();
  expect(step()).toBeUndefined();
  await Promise.resolve();
  rests.shift()!();
  await rest;
  courtesy.note();
  expect(step()).toBeDefined();
});

it('lets several rest one after the other, so that together they take no more than one', async () => {
  const { courtesy, rests } = openCourtesy();
  const steps = [courtesy.stepper(), courtesy.stepper(), courtesy.stepper()];
  courtesy.note();
  let ended = 0;
  for (const step of steps) void step()!.then(() => (ended += 1));
  for (let each = 1; each <= steps.length; each++) {
    await new Promise((resolve) => setImmediate(resolve));
    expect(rests).toHaveLength(1);
    rests.shift()!();
    await new Promise((resolve) => setImmediate(resolve));
    expect(ended).toBe(each);
  }
});

it('lets nobody rest where there is no sleep', () => {
  const courtesy = createCourtesy({});
  const step = courtesy.stepper();
  courtesy.note();
  expect(step()).toBeUndefined();
});
