import { useState } from 'preact/hooks';
import { figure } from '../parts/figure.ts';
import type { Event, Filter } from '../../../../src/index.ts';
import { Copy } from '../parts/copy.tsx';
import { hasInList, hasValue } from './filter/comparisons.ts';
import { OnlyNot } from './only-not.tsx';
import { UserLink } from '../parts/user-link.tsx';
import { place } from '../address/place.ts';
import { columnsOf, FIELDS, pathBelow, seen, setColumns } from '../address/question.ts';

/** How many characters of a text are shown at first. Below: how many levels of objects are open at first. */
const TEXT_LENGTH = 240;
const OPEN_LEVELS = 3;

/** An event in full. Each value has buttons to filter for it or to exclude it. */
export function EventJson({ event }: { readonly event: Event }) {
  const { properties, ...fields } = event;
  return (
    <div class="json">
      <ul>
        {FIELDS.map((field) => (
          <Value
            key={field}
            name={field}
            path={field}
            value={fields[field as keyof typeof fields]}
            level={0}
          />
        ))}
        <Value name="properties" path="properties" value={properties} level={0} />
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
  readonly level: number;
  /** Whether the value is an element of a list, for which filters use another comparison. */
  readonly inList?: boolean;
}

function Value({ name, path, value, level, inList = false }: ValueProps) {
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value as Readonly<Record<string, unknown>>);
    const isList = Array.isArray(value);
    const [open, close] = isList ? '[]' : '{}';
    if (entries.length === 0)
      return (
        <li>
          <Name of={name} />{' '}
          <span class="muted">
            {open}
            {close}
          </span>
        </li>
      );
    return (
      <li>
        <details open={level < OPEN_LEVELS}>
          <summary>
            <Name of={name} />{' '}
            <span class="muted">
              {isList
                ? `list of ${entries.length}`
                : `${entries.length} ${entries.length === 1 ? 'key' : 'keys'}`}
            </span>
          </summary>
          <ul>
            {entries.map(([key, each]) => (
              <Value
                key={key}
                name={key}
                value={each}
                level={level + 1}
                inList={isList}
                path={path === undefined || inList ? undefined : isList ? path : pathBelow(path, key)}
              />
            ))}
          </ul>
        </details>
      </li>
    );
  }
  return (
    <li>
      <Name of={name} />{' '}
      {path === 'userId' && typeof value === 'string' ? (
        <UserLink user={value}>
          <bdi class="scalar string">{seen(JSON.stringify(value))}</bdi>
        </UserLink>
      ) : (
        <Scalar value={value as string | number | boolean | null} />
      )}{' '}
      {path !== undefined && (
        <Acts path={path} value={value as string | number | boolean | null} inList={inList} />
      )}
    </li>
  );
}

function Name({ of }: { readonly of: string }) {
  return <bdi class="name">{seen(of)}</bdi>;
}

function Scalar({ value }: { readonly value: string | number | boolean | null }) {
  const [whole, setWhole] = useState(false);
  if (typeof value !== 'string')
    return <span class={`scalar ${value === null ? 'null' : typeof value}`}>{String(value)}</span>;
  // Quotes, as in JSON, distinguish a text that looks like a number from a number.
  const text = seen(JSON.stringify(value));
  const isLong = text.length > TEXT_LENGTH && !whole;
  return (
    <>
      <bdi class="scalar string">{isLong ? `${text.slice(0, TEXT_LENGTH)}…` : text}</bdi>
      {isLong && (
        <button type="button" class="small" onClick={() => setWhole(true)}>
          all {figure(value.length)} characters
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
  readonly value: string | number | boolean | null;
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
