import type { Codes } from '../log/log.ts';
import { kernelCode, type Joining, type Width } from './kernel-code.ts';

/** The part of the global `WebAssembly` that is used here: the core knows no runtime's types. */
export interface Wasm {
  readonly Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
}

/**
 * A column, with one code for each row, and a test's mask, with 1 for each code that passes and 0 for others.
 */
export interface Tested {
  readonly codes: Codes;
  readonly mask: Uint8Array;
}

/** Counts rows in WebAssembly. */
export interface Kernel {
  /**
   * How many of the rows pass all of these tests, or any of them. Undefined where the kernel does not pay or
   * cannot work: few rows, many tests, masks that are long compared to the rows or take more than a mebibyte,
   * or a runtime that compiles no WebAssembly.
   */
  count(joining: Joining, tests: readonly Tested[], rows: CountedSpan): number | undefined;
}

/** Rows of a segment, and how many rows of all segments are counted with the same masks. */
interface CountedSpan {
  readonly from: number;
  readonly to: number;
  readonly total: number;
}

/** Fewer rows are counted sooner than their masks are copied. */
const ROWS_MIN = 4096;
/** Each kind of columns has a module of some 36 KB: with so many tests there are 65 of them. */
const TESTS_MAX = 4;
/** So many codes are copied at once, so that they stay in the processor's caches. */
const COPIED_ROWS = 8192;
const CODES_BYTES = COPIED_ROWS * 4;
/** The codes of a block lie before the masks. */
const MASKS_AT = TESTS_MAX * CODES_BYTES;
const MASKS_BYTES = 1_048_576;
const PAGE_BYTES = 65_536;

/** Takes the addresses of the codes and of the mask of each column, and where the first codes end. */
type Count = (...addresses: number[]) => number;

/** What is compiled, and the memory that it counts in. */
interface Compiled {
  readonly bytes: Uint8Array;
  readonly count: Count;
}

/**
 * Makes a kernel over the `WebAssembly` of a runtime. V8 checks the bounds of both arrays at each look-up of
 * a row, which WebAssembly leaves to the processor: with the copies that it needs, a row takes 0.2 to 0.35
 * of the time that it takes in the loops of count-loops.ts (two columns, 500,000 rows).
 */
export function createKernel(wasm: Wasm | undefined): Kernel {
  const compile = createCompiler(wasm);
  /** The masks that were copied last. A mask does not change while it is counted with. */
  const copied: { readonly mask: Uint8Array; readonly at: number }[] = [];
  return {
    count(joining, asked, { from, to, total }) {
      const maskBytes = asked.reduce((bytes, { mask }) => bytes + mask.length, 0);
      const isWorthIt = to - from >= ROWS_MIN && maskBytes <= 2 * total;
      if (!isWorthIt || asked.length > TESTS_MAX || maskBytes > MASKS_BYTES) return undefined;
      const tests = asked.toSorted((a, b) => a.codes.BYTES_PER_ELEMENT - b.codes.BYTES_PER_ELEMENT);
      const widths = tests.map(({ codes }) => codes.BYTES_PER_ELEMENT as Width);
      const compiled = compile(joining, widths);
      if (compiled === undefined) return undefined;
      const { bytes, count } = compiled;
      const addresses: number[] = [];
      let end = MASKS_AT;
      tests.forEach(({ mask }, i) => {
        // The masks of the segment before are mostly there still.
        if (copied[i]?.mask !== mask || copied[i].at !== end) bytes.set(mask, end);
        addresses.push(i * CODES_BYTES, end);
        copied[i] = { mask, at: end };
        end += mask.length;
      });
      copied.length = tests.length;
      let counted = 0;
      for (let start = from; start < to; start += COPIED_ROWS) {
        const length = Math.min(COPIED_ROWS, to - start);
        tests.forEach(({ codes }, i) => bytes.set(asBytes(codes, start, length), i * CODES_BYTES));
        counted += count(...addresses, length * widths[0]!);
      }
      return counted;
    },
  };
}

const asBytes = ({ buffer, byteOffset, BYTES_PER_ELEMENT }: Codes, from: number, length: number) =>
  new Uint8Array(buffer, byteOffset + from * BYTES_PER_ELEMENT, length * BYTES_PER_ELEMENT);

/** Makes what compiles a count once for each kind of columns, unless the runtime compiles nothing. */
function createCompiler(wasm: Wasm | undefined) {
  const compiled = new Map<string, Compiled>();
  let memory: InstanceType<Wasm['Memory']> | undefined;
  let isRefused = false;
  return (joining: Joining, widths: readonly Width[]): Compiled | undefined => {
    const name = joining + widths.join();
    const known = compiled.get(name);
    if (known !== undefined || wasm === undefined || isRefused) return known;
    try {
      memory ??= new wasm.Memory({ initial: (MASKS_AT + MASKS_BYTES) / PAGE_BYTES });
      const { exports } = new wasm.Instance(new wasm.Module(kernelCode(joining, widths)), {
        from: { memory },
      });
      const { count } = exports as { count: Count };
      const made = { bytes: new Uint8Array(memory.buffer), count };
      compiled.set(name, made);
      return made;
    } catch {
      // Where no code may be made at run time, to try costs an error each time.
      isRefused = true;
      return undefined;
    }
  };
}
