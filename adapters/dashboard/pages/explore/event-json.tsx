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
import { place } from '../address/place.ts';
import { FIELDS, pathBelow } from '../address/paths.ts';
import { columnsOf, setColumns } from '../address/question.ts';
import { seen } from '../address/written.ts';

/** How many characters of a text are shown at first. */
const TEXT_LENGTH = 240;
/** What an event holds that is neither a list nor an object. */
type ScalarValue = string | number | boolean | null;

/** An event in full. Each value has buttons to filter for it or to exclude it. */
export function EventJson({ event }: { readonly event: Event }) {
  const { properties, ...fields } = event;
  const open = useMemo(() => openAtFirst(properties, FIRST_MAX), [properties]);
  return (
    <div class="json">
      <ul>
        {FIELDS.map((field) => (
          <Value
            key={field}
            name={field}
            path={field}
            value={fields[field as keyof typeof fields]}
            open={open}
          />
        ))}
        <Value name="properties" path="properties" value={properties} open={open} />
      </ul>
      <p>
        <Copy text={JSON.stringify(event, null, 2)} label="Copy the event as JSON" />
      </p>
    </div>
  );
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
}

function Value(props: ValueProps) {
  const { name, path, value, inList = false } = props;
  if (typeof value === 'object' && value !== null) {
    return sizeOf(value) === 0 ? (
      <li>
        <Name of={name} /> <span class="muted">{Array.isArray(value) ? '[]' : '{}'}</span>
      </li>
    ) : (
      <Branch {...props} value={value} />
    );
  }
  const scalar = value as ScalarValue;
  return (
    <li>
      <Name of={name} />{' '}
      {path === 'userId' && typeof value === 'string' ? (
        <UserLink user={value}>
          <bdi class="scalar string">{seen(JSON.stringify(value))}</bdi>
        </UserLink>
      ) : (
        <Scalar value={scalar} />
      )}{' '}
      {path !== undefined && <Acts path={path} value={scalar} inList={inList} />}
    </li>
  );
}

/** A list or an object. Its entries are drawn while it is open, the first of them at first. */
function Branch({ name, path, value, open, inList = false }: ValueProps & { readonly value: object }) {
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
        {isOpen && <Entries of={value} path={inList ? undefined : path} open={open} isList={isList} />}
      </details>
    </li>
  );
}

interface EntriesProps extends Pick<ValueProps, 'path' | 'open'> {
  readonly of: object;
  readonly isList: boolean;
}

function Entries({ of, path, open, isList }: EntriesProps) {
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
    <ul>
      {shown.map((key) => (
        <Value
          key={key}
          name={key}
          value={(of as Readonly<Record<string, unknown>>)[key]}
          open={open}
          inList={isList}
          path={pathOf(key)}
        />
      ))}
      {more && <li>{more}</li>}
    </ul>
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
  const canBeColumn = page === 'explore' && !inList && !columns.includes(path);
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
