import { invalid } from '../base/errors.ts';
import type {
  BreakdownBody,
  CompareBody,
  CountBody,
  ExportBody,
  QueryBody,
  RetentionBody,
  SequenceBody,
  TailBody,
  TopBody,
  UsersBody,
} from './body.ts';
import {
  isBreakdownBody,
  isCompareBody,
  isCountBody,
  isExportBody,
  isQueryBody,
  isRetentionBody,
  isSequenceBody,
  isTailBody,
  isTopBody,
  isUsersBody,
} from './body-validators.ts';
import { explain } from './explain.ts';
import type { BodyName } from './findings.ts';

/**
 * Exceeds the depth of every body within the limits (10 levels of groups are 20 of JSON, inside the body and
 * around the filter and an IN list). Checked before the validators run, because they recurse and the stack is
 * finite.
 */
const BODY_DEPTH_MAX = 32;
/**
 * Exceeds the number of objects and entries of every body within the limits: 100 filters, each below 9 groups
 * of its own, are 2,002. Checked before the validators run, because explaining each wrong part takes long,
 * and a refusal costs the caller nothing.
 */
const BODY_PARTS_MAX = 2048;

/**
 * Returns the body if it has the right shape; otherwise throws ApiError (400) that says where it does not and
 * what would be valid.
 */
export type Validator<T> = (body: unknown) => T;

/** Validates the body of a query. */
export const validateQueryBody: Validator<QueryBody> = createValidator('QueryBody', isQueryBody);
/** Validates the body of a count. */
export const validateCountBody: Validator<CountBody> = createValidator('CountBody', isCountBody);
/** Validates the body of a top. */
export const validateTopBody: Validator<TopBody> = createValidator('TopBody', isTopBody);
/** Validates the body of a tail. */
export const validateTailBody: Validator<TailBody> = createValidator('TailBody', isTailBody);
/** Validates the body of an export. */
export const validateExportBody: Validator<ExportBody> = createValidator('ExportBody', isExportBody);
/** Validates the body of a breakdown. */
export const validateBreakdownBody: Validator<BreakdownBody> = createValidator(
  'BreakdownBody',
  isBreakdownBody,
);

/** Validates the body of a sequence. */
export const validateSequenceBody: Validator<SequenceBody> = createValidator('SequenceBody', isSequenceBody);

/** Validates the body of a retention. */
export const validateRetentionBody: Validator<RetentionBody> = createValidator(
  'RetentionBody',
  isRetentionBody,
);

/** Validates the body of a question about users. */
export const validateUsersBody: Validator<UsersBody> = createValidator('UsersBody', isUsersBody);

/** Validates the body of a question about what differs. */
export const validateCompareBody: Validator<CompareBody> = createValidator('CompareBody', isCompareBody);

/** The code that ajv compiled accepts or refuses; an explanation is built only for refused bodies. */
function createValidator<T>(name: BodyName, accepts: (body: unknown) => boolean): Validator<T> {
  return (body) => {
    checkBounds(body, BODY_DEPTH_MAX, { partsLeft: BODY_PARTS_MAX });
    if (accepts(body)) return body as T;
    throw explain(name, body);
  };
}

/**
 * Throws ApiError (400) for a value that validators must not receive. Recurses at most `depthLeft` levels.
 */
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
    // Elements of a list are cheap to check: they are counted, not explained one by one.
    if (key !== 'value') takePart(budget);
    checkBounds(element, depthLeft - 1, budget);
  }
}

function takePart(budget: { partsLeft: number }): void {
  budget.partsLeft -= 1;
  if (budget.partsLeft < 0)
    throw invalid('body', 'has too many parts: a filterSet takes at most 100 filters');
}
