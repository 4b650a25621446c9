import * as fc from 'fast-check';
import { bodies } from '../../conformance/arbitraries/queries.ts';

/** Values that stand where others belong. */
const strangers: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(
  ...[
    null,
    true,
    0,
    -1,
    1.5,
    1001,
    1e21,
    Infinity,
    2 ** 53,
    '',
    '10',
    'EQUALS',
    'LIKE',
    '2024-02-30',
    [],
    {},
    [[]],
  ],
  ...[
    [null],
    [1, 'a', true],
    { a: 1 },
    { not: {} },
    { anyOf: [{}] },
    JSON.parse('{"__proto__":1}') as unknown,
  ],
  Array.from({ length: 1001 }, () => 'x'),
);
const keys = fc.constantFrom(
  ...[
    'event',
    'after',
    'before',
    'filterSet',
    'pagination',
    'offset',
    'size',
    'cursor',
    'property',
    'comparison',
  ],
  ...['value', 'anyOf', 'allOf', 'not', 'filterset', '__proto__', 'constructor', 'toString', 'length', ''],
);

type Change = readonly [at: number, kind: 'replace' | 'add' | 'delete', key: string, value: unknown];
const changes: fc.Arbitrary<Change> = fc.tuple(
  fc.nat({ max: 1000 }),
  fc.constantFrom('replace', 'add', 'delete'),
  keys,
  strangers,
);

/** Every object and array of a body. */
function nodesOf(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(nodesOf)];
}

function setOwn(node: object, key: string, value: unknown): void {
  Object.defineProperty(node, key, { value, enumerable: true, configurable: true, writable: true });
}

function change(body: unknown, [at, kind, key, stranger]: Change): unknown {
  // A copy, because later changes may go into it.
  const value: unknown = structuredClone(stranger);
  const nodes = nodesOf(body);
  const node = nodes[at % Math.max(1, nodes.length)];
  if (node === undefined) return value;
  const own = Object.keys(node);
  const known = own[at % Math.max(1, own.length)];
  if (kind === 'add') setOwn(node, Array.isArray(node) ? String(node.length) : key, value);
  else if (known === undefined) return body;
  else if (kind === 'replace') setOwn(node, known, value);
  else if (Array.isArray(node)) node.splice(Number(known), 1);
  else Reflect.deleteProperty(node, known);
  return body;
}

const paginations = fc.record(
  { offset: fc.nat(), size: fc.integer({ min: 1, max: 1000 }), cursor: fc.string() },
  { requiredKeys: [] },
);

/** Values as they are, or changed in a place or three. */
export function spoiled(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc
    .tuple(values, fc.array(changes, { maxLength: 3 }))
    .map(([value, steps]) => steps.reduce<unknown>(change, structuredClone(value)));
}

/** Bodies that are right, or right but for a change or three. */
export const nearlyValidBodies: fc.Arbitrary<unknown> = spoiled(
  fc
    .tuple(bodies([]), fc.option(paginations, { nil: undefined }))
    .map(([body, pagination]) => (pagination === undefined ? body : { ...body, pagination })),
);
