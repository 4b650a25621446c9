import * as z from 'zod';
import {
  COMPARISONS,
  type AllOf,
  type AnyOf,
  type Filter,
  type FilterEntry,
  type NotEntry,
} from './filter.ts';
import { LIST_LENGTH_MAX, type OperandKind, type Scalar } from './operands.ts';
import type { ComparisonName, ComparisonTaking } from './operators.ts';

/** An object without unknown keys: with a typo like `filterset`, a query must not return everything. */
export function strict<Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.strictObject(shape);
}

/** A type whose fields nobody changes, at any depth. */
export type DeepReadonly<T> = { readonly [Key in keyof T]: DeepReadonly<T[Key]> };
type DeepRequired<T> = T extends string ? T : { readonly [Key in keyof T]-?: DeepRequired<T[Key]> };
// Comparing with all keys required reveals a key that only one of the types may have, at any depth.
type Agree<A, B> = [A, B, DeepRequired<A>, DeepRequired<B>] extends [B, A, DeepRequired<B>, DeepRequired<A>]
  ? unknown
  : never;

/**
 * Gives a schema a type that is written by hand, for people to read. It does not compile if one of the two
 * accepts a value that the other rejects.
 */
export function describes<T>() {
  return <Schema extends z.ZodType>(schema: Schema & Agree<T, DeepReadonly<z.input<Schema>>>) =>
    schema as unknown as z.ZodType<T, T>;
}

/** A scalar. */
export const scalarSchema = describes<Scalar>()(z.union([z.string(), z.number(), z.boolean()]));

const operandSchemas = {
  scalar: scalarSchema,
  ordered: z.union([z.number(), z.string()]),
  text: z.string(),
  list: z.array(scalarSchema).max(LIST_LENGTH_MAX),
  none: z.null(),
} as const satisfies Record<OperandKind, z.ZodType>;

function namesTaking<Kind extends OperandKind>(operand: Kind): ComparisonTaking<Kind>[] {
  const names = Object.keys(COMPARISONS) as ComparisonName[];
  return names.filter((name) => COMPARISONS[name].takes === operand) as ComparisonTaking<Kind>[];
}

function comparisonSchema<Kind extends OperandKind>(operand: Kind) {
  return strict({
    property: z.string().describe('takes a property path such as eventName or properties.plan'),
    comparison: z.enum(namesTaking(operand)),
    value: operandSchemas[operand],
  });
}

const filterSchema = z
  .discriminatedUnion('comparison', [
    comparisonSchema('scalar'),
    comparisonSchema('ordered'),
    comparisonSchema('text'),
    comparisonSchema('list'),
    comparisonSchema('none'),
  ])
  .describe('takes a filter: {"property": …, "comparison": …, "value": …}, or one of anyOf, allOf, not');

/** The entries of a `filterSet`. */
export const entriesSchema: z.ZodType<readonly FilterEntry[], readonly FilterEntry[]> = z.lazy(() =>
  z.array(entrySchema).describe('takes an array of filters'),
);
const oneEntrySchema: z.ZodType<FilterEntry, FilterEntry> = z.lazy(() => entrySchema);
const branches = [
  describes<Filter>()(filterSchema),
  describes<AnyOf>()(strict({ anyOf: entriesSchema })),
  describes<AllOf>()(strict({ allOf: entriesSchema })),
  describes<NotEntry>()(strict({ not: oneEntrySchema })),
] as const;
/** One entry of a `filterSet`. */
export const entrySchema: z.ZodType<FilterEntry, FilterEntry> = z.union(branches).meta({ id: 'FilterEntry' });
