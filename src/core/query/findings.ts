import { isJsonObject } from '../event/event.ts';
import { BODY_JSON_SCHEMAS } from './body-validators.ts';

/** One mistake in a body, and where it is. */
export interface Finding {
  readonly path: readonly (string | number)[];
  /** What is valid there: the description of its schema. */
  readonly takes: string;
  /** Keys that the object there does not accept. */
  readonly unknownKeys?: readonly string[];
}

/** The bodies that have a schema. */
export type BodyName = Exclude<keyof typeof BODY_JSON_SCHEMAS, 'FilterEntry'>;

/** The part of JSON Schema that describes bodies. */
export interface BodySchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, BodySchema>>;
  readonly required?: readonly string[];
  /** False for an object that takes no other keys than its properties. */
  readonly additionalProperties?: boolean | object;
  readonly items?: BodySchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly anyOf?: readonly BodySchema[];
  readonly oneOf?: readonly BodySchema[];
  /** Of what no value can be. */
  readonly not?: object;
}

/** Schemas by the names by which others refer to them. */
export type BodySchemas = Readonly<Record<string, BodySchema>>;

/** The keys that distinguish the kinds of entries of a `filterSet`, in the order of its schema's branches. */
export const ENTRY_BRANCH_KEYS = ['comparison', 'anyOf', 'allOf', 'not'] as const;

/** All mistakes in the body of a question, in the order of its schema; empty if ajv accepts it. */
export function findingsOf(name: BodyName, body: unknown): readonly Finding[] {
  return findingsIn(BODY_JSON_SCHEMAS[name], body, BODY_JSON_SCHEMAS);
}

/**
 * All mistakes in a value, in the order of its schema. A reference to none of `schemas` takes any object,
 * which has a validator of its own.
 */
export function findingsIn(schema: BodySchema, value: unknown, schemas: BodySchemas): readonly Finding[] {
  const findings: Finding[] = [];
  judge(schema, value, []);
  return findings;

  function toReferred({ $ref, ...own }: BodySchema): BodySchema {
    if ($ref === undefined) return own;
    const name = $ref.split('/').at(-1)!;
    return { ...(Object.hasOwn(schemas, name) ? schemas[name] : { type: 'object' }), ...own };
  }

  function judge(given: BodySchema, value: unknown, path: Finding['path']): void {
    const schema = toReferred(given);
    if (schema.anyOf !== undefined) return judgeBranch(schema, schema.anyOf, value, path);
    if (schema.oneOf !== undefined) return judgeComparison(schema, schema.oneOf, value, path);
    if (!fits(schema, value))
      return void findings.push({ path, takes: schema.description ?? toTakes(schema) });
    if (Array.isArray(value)) value.forEach((item, i) => judge(schema.items!, item, [...path, i]));
    else if (schema.properties !== undefined)
      judgeObject(schema, schema.properties, value as Record<string, unknown>, path);
  }

  /** Checks a value against the branch that is for its kind; entries of a `filterSet` say theirs by a key. */
  function judgeBranch(
    { description = '' }: BodySchema,
    branches: readonly BodySchema[],
    value: unknown,
    path: Finding['path'],
  ): void {
    const isEntry = branches[0]?.oneOf !== undefined;
    const branch = isEntry
      ? branches[branchOf(value)]
      : branches.find((each) => fits(toReferred(each), value));
    if (branch === undefined) findings.push({ path, takes: description });
    else judge(branch, value, path);
  }

  /** Checks a comparison against the branch that has its operator. */
  function judgeComparison(
    { description = '' }: BodySchema,
    branches: readonly BodySchema[],
    value: unknown,
    path: Finding['path'],
  ): void {
    if (!isJsonObject(value)) return void findings.push({ path, takes: description });
    const branch = branches.find(({ properties }) =>
      properties?.comparison?.enum?.includes(value.comparison),
    );
    if (branch === undefined)
      return void findings.push({ path: [...path, 'comparison'], takes: description });
    judge(branch, value, path);
  }

  function judgeObject(
    { required = [], additionalProperties }: BodySchema,
    properties: Readonly<Record<string, BodySchema>>,
    value: Record<string, unknown>,
    path: Finding['path'],
  ): void {
    for (const [key, schema] of Object.entries(properties)) {
      if (value[key] !== undefined || required.includes(key)) judge(schema, value[key], [...path, key]);
    }
    if (additionalProperties !== false) return;
    const unknownKeys = Object.keys(value).filter((key) => !Object.hasOwn(properties, key));
    if (unknownKeys.length > 0) findings.push({ path, takes: toUse(Object.keys(properties)), unknownKeys });
  }
}

/** What is valid where a schema says no more than a type. */
function toTakes({ type, enum: values }: BodySchema): string {
  if (values !== undefined) return `use one of ${values.join(', ')}`;
  if (type === 'string') return 'takes a text';
  if (type === 'boolean') return 'takes true or false';
  return type === 'array' ? 'takes an array' : 'takes an object';
}

const toUse = (keys: readonly string[]) => (keys.length === 0 ? 'use none' : `use one of ${keys.join(', ')}`);

/** An entry with none of the keys counts as a comparison, because most entries are comparisons. */
function branchOf(entry: unknown): number {
  if (!isJsonObject(entry)) return 0;
  return Math.max(
    ENTRY_BRANCH_KEYS.findIndex((key) => Object.hasOwn(entry, key)),
    0,
  );
}

/** Whether a value has the type of a schema and lies within its bounds. */
function fits(schema: BodySchema, value: unknown): boolean {
  if (schema.enum !== undefined && !schema.enum.includes(value)) return false;
  if (schema.const !== undefined && schema.const !== value) return false;
  return isOf(schema, value) && isWithin(schema, value);
}

function isWithin(schema: BodySchema, value: unknown): boolean {
  if (typeof value === 'number')
    return value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity);
  if (typeof value === 'string')
    return (
      value.length >= (schema.minLength ?? 0) &&
      value.length <= (schema.maxLength ?? Infinity) &&
      (schema.pattern === undefined || new RegExp(schema.pattern).test(value))
    );
  if (!Array.isArray(value)) return true;
  return value.length >= (schema.minItems ?? 0) && value.length <= (schema.maxItems ?? Infinity);
}

function isOf({ type }: BodySchema, value: unknown): boolean {
  return [type].flat().some((name) => {
    if (name === 'object') return isJsonObject(value);
    if (name === 'array') return Array.isArray(value);
    if (name === 'null') return value === null;
    if (name === 'integer') return Number.isSafeInteger(value);
    return typeof value === name && (name !== 'number' || Number.isFinite(value));
  });
}
