import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { saidQuestion } from '../../../../adapters/dashboard/pages/address/said-question.ts';
import {
  presetShown,
  PRESETS,
  rangeAsked,
  saysTime,
} from '../../../../adapters/dashboard/pages/time/asked.ts';

const NOW = Date.UTC(2026, 4, 18, 10, 0, 0, 123);
const presets = fc.constantFrom(...PRESETS);

/** The parameters of a link that is copied at an address, and what it asks for whoever opens it later. */
function copied(parameters: URLSearchParams, isExact: boolean, first: (typeof PRESETS)[number]) {
  const asked = { preset: presetShown(parameters, first), range: rangeAsked(parameters, NOW, first) };
  const said = saidQuestion(parameters, asked, isExact);
  const link = new URLSearchParams(parameters);
  for (const [name, value] of Object.entries(said))
    if (value !== '') link.set(name, value);
    else link.delete(name);
  return { asked, link };
}

it('a link that is copied says its range, so that it means the same for others', () => {
  fc.assert(
    fc.property(fc.option(presets), presets, presets, (range, first, others) => {
      const { asked, link } = copied(new URLSearchParams(range === null ? {} : { range }), false, first);
      expect(saysTime(link)).toBe(true);
      expect(presetShown(link, others)).toBe(asked.preset);
      expect(rangeAsked(link, NOW, others)).toEqual(asked.range);
    }),
  );
});

it('one with exact times has the same events whenever it is opened', () => {
  fc.assert(
    fc.property(fc.option(presets), presets, fc.integer({ min: 0, max: 1e10 }), (range, first, later) => {
      const { asked, link } = copied(new URLSearchParams(range === null ? {} : { range }), true, first);
      fc.pre(!link.has('after'));
      expect(rangeAsked(link, NOW + later, 'all')).toEqual(asked.range);
    }),
  );
});
