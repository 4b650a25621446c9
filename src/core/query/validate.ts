import { Ajv, type ValidateFunction } from 'ajv';
import * as z from 'zod';
import { invalid } from '../errors.ts';
import { explain } from './explain.ts';

/**
 * Deeper than any body within the limits can be (10 levels of groups are 20 of JSON, with the body, the
 * filter and an IN list around them). Checked before the validators run, because they recurse and a stack has
 * an end.
 */
const BODY_DEPTH_MAX = 32;
/**
 * More objects and entries than any body within the limits has: 100 filters, each below 9 groups of its own,
 * are 2,002. Checked before the validators run, because the explanation of each wrong part takes them long,
 * and a refusal costs the caller nothing.
 */
const BODY_PARTS_MAX = 2048;

/**
 * Returns the body when it has the shape; throws ApiError (400) that says where it has not and what would be
 * right.
 */
export type Validator<T> = (body: unknown) => T;

/**
 * Makes the validator of one body. The zod schema is the one description: ajv compiles its JSON Schema for
 * the hot path, and zod, which knows how to explain, judges whatever ajv refuses. Where code generation is
 * forbidden (Workers, a content security policy) zod does both.
 */
export function createValidator<T>(schema: z.ZodType<T>): Validator<T> {
  let accepts: ((body: unknown) => boolean) | undefined;
  return (body) => {
    checkBounds(body, BODY_DEPTH_MAX, { partsLeft: BODY_PARTS_MAX });
    accepts ??= compileAcceptor(schema);
    if (accepts(body)) return body as T;
    const result = schema.safeParse(body);
    if (result.success) return result.data;
    throw explain(result.error.issues, body);
  };
}

/** The JSON Schema (draft 7) of a body. */
export function toJsonSchema(schema: z.ZodType): Record<string, unknown> {
  return z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
}

/**
 * JSON has no infinities, but `1e400` is read as one, and zod refuses it. A schema of our own need not be
 * judged by its schema, nor its code made shorter: the first question of a kind would wait more than twice as
 * long, and later ones are not faster by it. What ajv has to say when code may not be generated would only
 * clutter an embedding program's output.
 */
const OPTIONS = {
  strict: false,
  strictNumbers: true,
  validateFormats: false,
  meta: false,
  validateSchema: false,
  code: { optimize: false },
  logger: false,
} as const;

function compileAcceptor(schema: z.ZodType): (body: unknown) => boolean {
  try {
    const ajv = new Ajv(OPTIONS);
    const validate: ValidateFunction = ajv.compile(toJsonSchema(schema));
    return (body) => validate(body);
  } catch {
    // Code generation is forbidden here: every body takes the slower way through zod, with the same result.
    return () => false;
  }
}

/** Throws ApiError (400) for what no validator should see. Recurses no deeper than `depthLeft`. */
function checkBounds(value: unknown, depthLeft: number, budget: { partsLeft: number }, key = ''): void {
  if (typeof value !== 'object' || value === null) return;
  if (depthLeft === 0) throw invalid('body', 'nests too deep: filters take at most 10 levels');
  if (!Array.isArray(value)) {
    takePart(budget);
    for (const name in value) {
      checkBounds((value as Record<string, unknown>)[name], depthLeft - 1, budget, name);
    }
    return;
  }
  for (const element of value) {
    // The operands of a list are cheap: they are counted, not explained one by one.
    if (key !== 'value') takePart(budget);
    checkBounds(element, depthLeft - 1, budget);
  }
}

function takePart(budget: { partsLeft: number }): void {
  budget.partsLeft -= 1;
  if (budget.partsLeft < 0)
    throw invalid('body', 'has too many parts: a filterSet takes at most 100 filters');
}
