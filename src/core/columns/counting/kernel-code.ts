/** How many bytes a code takes. */
export type Width = 1 | 2 | 4;

/** How the results of a row's tests are joined. */
export type Joining = 'all' | 'any';

/**
 * The module of one loop in the binary format of WebAssembly (core specification 1.0, chapter 5), which
 * imports its memory as `from.memory` and exports `count`. The function takes the address of the codes and of
 * the mask of each column, whose codes have these widths, and the address where the codes of the first column
 * end, at least one row further. It returns how many rows have 1 in all masks, or in any mask.
 */
export function kernelCode(joining: Joining, widths: readonly Width[]): Uint8Array {
  const parameters = 2 * widths.length + 1;
  const end = parameters - 1;
  const count = parameters;
  const lookUps = widths.flatMap((width, i) => [
    ...[LOCAL_GET, 2 * i + 1, LOCAL_GET, 2 * i, ...LOAD[width], ADD, ...LOAD[1]],
    ...(i === 0 ? [] : [JOIN[joining]]),
  ]);
  const steps = widths.flatMap((width, i) => [LOCAL_GET, 2 * i, CONST, width, ADD, LOCAL_SET, 2 * i]);
  const loop = [
    ...[LOCAL_GET, count, ...lookUps, ADD, LOCAL_SET, count],
    ...steps,
    ...[LOCAL_GET, 0, LOCAL_GET, end, LESS, BRANCH_IF, 0],
  ];
  const body = [1, 1, I32, LOOP, NO_RESULT, ...loop, END, LOCAL_GET, count, END];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, 0x60, parameters, ...Array<number>(parameters).fill(I32), 1, I32]),
    ...section(2, [1, ...named('from'), ...named('memory'), 2, 0, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...named('count'), 0, 0]),
    ...section(10, [1, ...sized(body)]),
  ]);
}

const I32 = 0x7f;
const LOOP = 0x03;
const END = 0x0b;
const BRANCH_IF = 0x0d;
const LOCAL_GET = 0x20;
const LOCAL_SET = 0x21;
const CONST = 0x41;
const LESS = 0x49;
const ADD = 0x6a;
const NO_RESULT = 0x40;
const JOIN = { all: 0x71, any: 0x72 };
/** By width, each with its alignment and no offset. */
const LOAD = { 1: [0x2d, 0, 0], 2: [0x2f, 1, 0], 4: [0x28, 2, 0] };

const section = (id: number, content: readonly number[]) => [id, ...sized(content)];

/** Lengths are LEB128: seven bits a byte, the lowest first. */
function sized(content: readonly number[]): number[] {
  const { length } = content;
  return length < 0x80 ? [length, ...content] : [(length & 0x7f) | 0x80, length >> 7, ...content];
}

const named = (name: string) => sized(Array.from(name, (letter) => letter.charCodeAt(0)));
