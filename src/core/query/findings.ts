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
interface BodySchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, BodySchema>>;
  readonly required?: readonly string[];
  readonly items?: BodySchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly BodySchema[];
  readonly oneOf?: readonly BodySchema[];
}

/** The keys that distinguish the kinds of entries of a `filterSet`, in the order of its schema's branches. */
export const ENTRY_BRANCH_KEYS = ['comparison', 'anyOf', 'allOf', 'not'] as const;

/** All mistakes in a body, in the order of its schema; empty if ajv accepts it. */
export function findingsOf(name: BodyName, body: unknown): readonly Finding[] {
  const findings: Finding[] = [];
  judge(BODY_JSON_SCHEMAS[name], body, []);
  return findings;

  function judge(schema: BodySchema, value: unknown, path: Finding['path']): void {
    if (schema.$ref !== undefined) return judge(toReferred(schema.$ref), value, path);
    if (schema.anyOf !== undefined) return judge(schema.anyOf[branchOf(value)]!, value, path);
    if (schema.oneOf !== undefined) return judgeComparison(schema, schema.oneOf, value, path);
    if (!fits(schema, value))
      return void findings.push({ path, takes: schema.description ?? 'takes an object' });
    if (Array.isArray(value)) value.forEach((item, i) => judge(schema.items!, item, [...path, i]));
    else if (schema.properties !== undefined)
      judgeObject(schema.properties, schema.required ?? [], value as Record<string, unknown>, path);
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
    properties: Readonly<Record<string, BodySchema>>,
    required: readonly string[],
    value: Record<string, unknown>,
    path: Finding['path'],
  ): void {
    for (const [key, schema] of Object.entries(properties)) {
      if (value[key] !== undefined || required.includes(key)) judge(schema, value[key], [...path, key]);
    }
    const unknownKeys = Object.keys(value).filter((key) => !Object.hasOwn(properties, key));
    if (unknownKeys.length > 0)
      findings.push({ path, takes: `use one of ${Object.keys(properties).join(', ')}`, unknownKeys });
  }
}

function toReferred(reference: string): BodySchema {
  return BODY_JSON_SCHEMAS[reference.split('/').at(-1) as keyof typeof BODY_JSON_SCHEMAS];
}

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
  if (typeof value === 'number')
    return (
      value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity) && isOf(schema, value)
    );
  if (Array.isArray(value))
    return (
      value.length >= (schema.minItems ?? 0) &&
      value.length <= (schema.maxItems ?? Infinity) &&
      isOf(schema, value)
    );
  return isOf(schema, value);
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
