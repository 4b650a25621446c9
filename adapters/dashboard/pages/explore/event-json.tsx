import { useMemo, useState } from 'preact/hooks';
import { figure } from '../parts/figure.ts';
import { FIRST_MAX, useFirst } from '../parts/first.tsx';
import { PATH_LENGTH_MAX } from '../../../../src/store-kit.ts';
import { openAtFirst, sizeOf } from './open-at-first.ts';
import type { Event, Filter } from '../../../../src/index.ts';
import { Copy } from '../parts/copy.tsx';
import { hasInList, hasValue } from './filter/comparisons.ts';
import { OnlyNot } from './only-not.tsx';
import { UserLink } from '../parts/user-link.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { addressWith } from '../address/address.ts';
import type { KeptQuestion } from '../address/kept.ts';
import { place } from '../address/place.ts';
import { FIRST_COLUMNS } from '../address/columns.ts';
import { FILTER_FIELDS, pathBelow } from '../address/paths.ts';
import { columnsOf, setColumns } from '../address/question.ts';
import { seen } from '../address/written.ts';
import { toRange } from '../time/asked.ts';
import { MINUTE_MS } from '../time/unit.ts';

/** How many characters of a text are shown at first. */
const TEXT_LENGTH = 240;
/** What an event holds that is neither a list nor an object. */
type ScalarValue = string | number | boolean | null;

/** From how many keys of an event on a search among them is worth its room. */
const SEARCHED_MIN = 30;

/**
 * An event in full: a line for each path, with its value and buttons to filter for it or to exclude it. The
 * paths of objects are written out; lists, and objects for which there is no room, open by a click.
 */
export function EventJson({ event }: { readonly event: Event }) {
  const { properties, ...fields } = event;
  const open = useMemo(() => openAtFirst(properties, FIRST_MAX), [properties]);
  const [typed, setTyped] = useState('');
  const searched = typed.trim().toLowerCase();
  const found = { at: event.eventTs };
  const isLarge = useMemo(() => countKeys(properties, open) > SEARCHED_MIN, [properties, open]);
  return (
    <div class="json">
      <p class="json-acts">
        <Copy text={JSON.stringify(event, null, 2)} label="Copy the event as JSON" />
        <Around event={event} />
        {isLarge && <SearchField placeholder="Search in this event" value={typed} onValue={setTyped} />}
      </p>
      <ul>
        {FILTER_FIELDS.filter((field) => field in fields).map((field) => (
          <Value
            key={field}
            name={field}
            path={field}
            value={fields[field as keyof typeof fields]}
            found={found}
            open={open}
            searched={searched}
          />
        ))}
        <Value name="properties" path="properties" value={properties} open={open} searched={searched} />
      </ul>
    </div>
  );
}

/** How long before and after an event others are shown that were around it, in milliseconds. */
const AROUND_MS = 5 * MINUTE_MS;

/** The ways to what happened around an event: all that its user did then, and all that anybody did. */
function Around({ event: { eventTs, userId } }: { readonly event: Event }) {
  const at = Date.parse(eventTs);
  const range = toRange({ from: at - AROUND_MS, until: at + AROUND_MS });
  const own = JSON.stringify([hasValue('userId', userId, false)]);
  const { alias, parameters } = place.value;
  const explorer = { page: 'explore', alias, parameters: new URLSearchParams() };
  const link = (filter: string) =>
    addressWith(explorer, { ...range, filter, zone: parameters.get('zone') ?? '' });
  return (
    <span class="around">
      <span class="muted">5 minutes around it:</span> <a href={link(own)}>of this user</a>{' '}
      <a href={link('')}>of everybody</a>
    </span>
  );
}

/** How many keys there are in objects that are open. */
function countKeys(value: object, open: ReadonlySet<object>): number {
  const within = (Object.values(value) as readonly unknown[]).filter(
    (each): each is object => typeof each === 'object' && each !== null && open.has(each),
  );
  return within.reduce<number>((sum, each) => sum + countKeys(each, open), sizeOf(value));
}

interface ValueProps {
  readonly name: string;
  /** The path at which filters find the value; undefined if no filter can. */
  readonly path: string | undefined;
  readonly value: unknown;
  /** The lists and objects that are open at first. */
  readonly open: ReadonlySet<object>;
  /** Whether the value is an element of a list, for which filters use another comparison. */
  readonly inList?: boolean;
  /** Only lines that have this text are shown. */
  readonly searched: string;
  /** What the link to the user of the event says: where the page of the user begins. */
  readonly found?: KeptQuestion | undefined;
}

/** Whether a line is left out of a search. */
function isLeftOut({ name, value, searched }: Pick<ValueProps, 'name' | 'value' | 'searched'>): boolean {
  if (searched === '') return false;
  const text = typeof value === 'string' ? value : typeof value === 'object' ? '' : JSON.stringify(value);
  return !`${name} ${text}`.toLowerCase().includes(searched);
}

function Value(props: ValueProps) {
  const { name, path, value, inList = false } = props;
  if (typeof value === 'object' && value !== null) {
    const isObject = !Array.isArray(value);
    if (isObject && !inList && sizeOf(value) > 0 && props.open.has(value))
      return <Entries {...props} of={value} above={name === 'properties' ? '' : `${name}.`} isList={false} />;
    if (isLeftOut(props)) return null;
    return sizeOf(value) === 0 ? (
      <li>
        <span>
          <Name of={name} />
        </span>{' '}
        <span class="muted">{isObject ? '{}' : '[]'}</span>
      </li>
    ) : (
      <Branch {...props} value={value} />
    );
  }
  if (isLeftOut(props)) return null;
  const scalar = value as ScalarValue;
  return (
    <li>
      <span>
        <Name of={name} />
      </span>{' '}
      <span>
        {path === 'userId' && typeof value === 'string' ? (
          <UserLink user={value} question={props.found}>
            <bdi class="scalar string">{seen(JSON.stringify(value))}</bdi>
          </UserLink>
        ) : (
          <Scalar value={scalar} />
        )}{' '}
        {path !== undefined && <Acts path={path} value={scalar} inList={inList} />}
      </span>
    </li>
  );
}

/** A list or an object. Its entries are drawn while it is open, the first of them at first. */
function Branch({
  name,
  path,
  value,
  open,
  searched,
  inList = false,
}: ValueProps & { readonly value: object }) {
  const [isOpen, setOpen] = useState(open.has(value));
  const isList = Array.isArray(value);
  const size = sizeOf(value);
  const words = isList ? `list of ${figure(size)}` : `${figure(size)} ${size === 1 ? 'key' : 'keys'}`;
  return (
    <li>
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <Name of={name} /> <span class="muted">{words}</span>
        </summary>
        {isOpen && (
          <ul>
            <Entries
              of={value}
              path={inList ? undefined : path}
              open={open}
              isList={isList}
              above=""
              searched={searched}
            />
          </ul>
        )}
      </details>
    </li>
  );
}

interface EntriesProps extends Pick<ValueProps, 'path' | 'open' | 'searched'> {
  readonly of: object;
  /** What stands before the names of the entries. */
  readonly above: string;
  readonly isList: boolean;
}

/** The entries of a list or an object, each a line. */
function Entries({ of, path, open, isList, above, searched }: EntriesProps) {
  const places = useMemo(
    () => (isList ? Array.from(of as readonly unknown[], (_, i) => String(i)) : Object.keys(of)),
    [of],
  );
  const { shown, more } = useFirst(places, isList ? 'entries' : 'keys');
  const pathOf = (key: string) => {
    if (path === undefined || isList) return path;
    const below = pathBelow(path, key);
    return below.length > PATH_LENGTH_MAX ? undefined : below;
  };
  return (
    <>
      {shown.map((key) => (
        <Value
          key={key}
          name={above + key}
          searched={searched}
          value={(of as Readonly<Record<string, unknown>>)[key]}
          open={open}
          inList={isList}
          path={pathOf(key)}
        />
      ))}
      {more && <li>{more}</li>}
    </>
  );
}

/** A key. A long one is cut until all of it is asked for. */
function Name({ of }: { readonly of: string }) {
  return <Long text={of} kind="name" />;
}

function Scalar({ value }: { readonly value: ScalarValue }) {
  if (typeof value !== 'string')
    return <span class={`scalar ${value === null ? 'null' : typeof value}`}>{String(value)}</span>;
  return <Long text={value} isQuoted kind="scalar string" />;
}

interface LongProps {
  readonly text: string;
  /** Whether it stands in quotes, as in JSON, which tell a text that looks like a number from a number. */
  readonly isQuoted?: boolean;
  readonly kind: string;
}

/** A text of any length, of which the beginning is shown until all of it is asked for. */
function Long({ text, isQuoted = false, kind }: LongProps) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > TEXT_LENGTH && !isWhole;
  const part = isLong ? text.slice(0, TEXT_LENGTH).toWellFormed() : text;
  const shown = seen(isQuoted ? JSON.stringify(part) : part);
  return (
    <>
      <bdi class={kind}>{isLong ? `${isQuoted ? shown.slice(0, -1) : shown}…` : shown}</bdi>
      {isLong && (
        <button type="button" class="small" onClick={() => setWhole(true)}>
          all {figure(text.length)} characters
        </button>
      )}
    </>
  );
}

function Acts({
  path,
  value,
  inList,
}: {
  readonly path: string;
  readonly value: ScalarValue;
  readonly inList: boolean;
}) {
  const filterOf = (not: boolean): Filter | undefined => {
    if (!inList) return hasValue(path, value, not);
    return value === null ? undefined : hasInList(path, value, not);
  };
  const [only, not] = [filterOf(false), filterOf(true)];
  if (only === undefined || not === undefined) return null;
  const { page, parameters } = place.value;
  const columns = columnsOf(parameters);
  const canBeColumn = page === 'explore' && !inList && ![...FIRST_COLUMNS, ...columns].includes(path);
  return (
    <span class="acts">
      <OnlyNot name={path} only={only} not={not} what=" this" />
      {canBeColumn && (
        <button
          type="button"
          class="small"
          aria-label={`as a column: ${path}`}
          onClick={() => setColumns([...columns, path])}
        >
          as a column
        </button>
      )}
    </span>
  );
}
