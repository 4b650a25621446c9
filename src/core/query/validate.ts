import { invalid } from '../base/errors.ts';
import type { BreakdownBody, CountBody, ExportBody, QueryBody } from './body.ts';
import { isBreakdownBody, isCountBody, isExportBody, isQueryBody } from './body-validators.ts';
import { explain } from './explain.ts';
import type { BodyName } from './findings.ts';

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

/** Judges the body of a query. */
export const validateQueryBody: Validator<QueryBody> = createValidator('QueryBody', isQueryBody);
/** Judges the body of a count. */
export const validateCountBody: Validator<CountBody> = createValidator('CountBody', isCountBody);
/** Judges the body of an export. */
export const validateExportBody: Validator<ExportBody> = createValidator('ExportBody', isExportBody);
/** Judges the body of a breakdown. */
export const validateBreakdownBody: Validator<BreakdownBody> = createValidator(
  'BreakdownBody',
  isBreakdownBody,
);

/** What ajv compiled says yes or no; words are found only for what it refuses. */
function createValidator<T>(name: BodyName, accepts: (body: unknown) => boolean): Validator<T> {
  return (body) => {
    checkBounds(body, BODY_DEPTH_MAX, { partsLeft: BODY_PARTS_MAX });
    if (accepts(body)) return body as T;
    throw explain(name, body);
  };
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
