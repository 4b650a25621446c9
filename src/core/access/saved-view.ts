import type { AdminCredential } from './admin-credential.ts';
import { ApiError, invalid } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import { compareCodePoints, decodeFormValue, isStorableText, utf8Length } from '../event/text.ts';
import { parseCountBody } from '../query/parse-query.ts';

/** A question under a name, for all people of a tenant or for one person. */
export interface SavedView {
  /** A UUID. */
  readonly id: string;
  /** The tenant that the question is about. */
  readonly tenantId: string;
  /** Whose view it is, as `ownerOf` says; null for a view of the tenant. */
  readonly owner: string | null;
  /** Unique among the views of the tenant, or among those of the owner for the tenant. */
  readonly name: string;
  /** The question as the address of the explorer holds it: parameters, without the leading `?`. */
  readonly question: string;
  /** The name of who saved it. */
  readonly by: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  /** Epoch milliseconds; the time of the last change. */
  readonly changedAt: number;
}

/** What a change sets in a view. */
export type ViewChanges = Partial<Pick<SavedView, 'name' | 'question'>> & Pick<SavedView, 'changedAt'>;

/** How many views a tenant may have. */
export const TENANT_VIEWS_MAX = 200;
/** How many views one person may have, for all tenants. */
export const OWN_VIEWS_MAX = 50;
/** How many bytes a question may have. */
export const QUESTION_BYTES_MAX = 16_384;

/** The parts of a question that select events, as fields of a body of the Query API. */
const FIELDS = ['event', 'after', 'before'] as const;
const PARAMETER_PATTERN = /^([a-zA-Z]{1,32})=(.*)$/s;

/** The order of lists: by name, and views of the tenant before those of a person. */
export function compareViews(one: SavedView, other: SavedView): number {
  const byName = compareCodePoints(one.name, other.name);
  return byName !== 0 ? byName : Number(one.owner !== null) - Number(other.owner !== null);
}

/**
 * Whose views a credential has, as a hash: those of the subject of its identity provider, of the key for
 * programs, or else of everybody who is signed in by a link with this name.
 */
export async function ownerOf(
  { id, kind, name, identity }: AdminCredential,
  { sha256 }: Pick<Runtime, 'sha256'>,
): Promise<string> {
  const person =
    identity !== null
      ? ['subject', identity.issuer, identity.subject]
      : kind === 'key'
        ? ['key', id]
        : ['name', name];
  return sha256(`views ${JSON.stringify(person)}`);
}

/**
 * The question of a view, whose filters and dates must be those of a query. Parameters that only change how
 * the answer is shown are kept as they are. Throws ApiError (400).
 */
export function parseQuestion(value: string): string {
  if (!isStorableText(value))
    throw invalid('question', 'takes the parameters of an address, in well-formed Unicode');
  if (utf8Length(value) > QUESTION_BYTES_MAX)
    throw invalid('question', `takes at most ${QUESTION_BYTES_MAX} bytes`);
  const parameters = new Map<string, string>();
  for (const part of value === '' ? [] : value.split('&')) {
    const [, name = '', text = ''] = PARAMETER_PATTERN.exec(part) ?? [];
    if (name === '' || parameters.has(name) || name === 'cursor')
      throw invalid('question', 'takes parameters as name=value, each once and without a cursor');
    const decoded = decodeFormValue(text);
    if (decoded === undefined)
      throw invalid('question', 'holds a percent sign that begins no encoded character');
    parameters.set(name, decoded);
  }
  const body: Record<string, unknown> = {};
  for (const field of FIELDS) if (parameters.get(field)) body[field] = parameters.get(field);
  const filter = parameters.get('filter') ?? '';
  if (filter !== '') body.filterSet = parseFilters(filter);
  parseCountBody(body);
  return value;
}

function parseFilters(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalid('question', 'holds a filter that is not JSON');
  }
}

/** The refusal of a view for which there is no room. */
export function viewsFull(isShared: boolean): ApiError {
  const most = isShared
    ? `a tenant has at most ${TENANT_VIEWS_MAX}`
    : `a person has at most ${OWN_VIEWS_MAX}`;
  return invalid('views', `${most}; delete others first`);
}
