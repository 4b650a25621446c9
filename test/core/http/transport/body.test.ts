import { expect, it } from 'vitest';
import { ApiError } from '../../../../src/index.ts';
import { createBodyParts } from '../../../../src/core/http/transport/body.ts';

const bounds = {
  bytesMax: 10,
  unpackRatioMax: 100,
  book: () => true,
  refusal: () => new ApiError('overloaded'),
};

it('the parts of a body are an object of plain fields, like those of any other body', () => {
  const body = createBodyParts(bounds);
  expect(body.take(new Uint8Array(4))).toBeUndefined();
  expect(body).toMatchObject({ bytes: 4, parts: [new Uint8Array(4)] });
  // A getter made for each request keeps that request until V8 collects everything.
  const fields = Object.values(Object.getOwnPropertyDescriptors(body));
  expect(fields.filter((field) => !('value' in field))).toEqual([]);
});
