import { expect, it } from 'vitest';
import { bytesOfUnwrapped } from '../../../../adapters/sdks/messages/form.ts';

it.each([
  ['{"data=":1}', false, 0],
  ['data={}', false, 28],
  ['e30=', true, 16],
  // A larger one is refused before it is read.
  [`data=${'x'.repeat(2_000_000)}`, false, 4_194_304],
])('what %.9s holds, as Base64: %s, takes %i bytes beside it', (text, isBase64, bytes) => {
  expect(bytesOfUnwrapped(text, isBase64)).toBe(bytes);
});
