import { useMemo } from 'preact/hooks';
import type { Property } from '../../../../src/store-kit.ts';
import { addressWith } from '../address/address.ts';
import { now, place, setParameters } from '../address/place.ts';
import { cut, seen, written } from '../address/written.ts';
import { EventField } from '../explore/filter/event-field.tsx';
import { useSeenPaths, type SeenPaths } from '../explore/filter/seen-paths.ts';
import { figure, shareText } from '../parts/figure.ts';
import { List, type ListColumn } from '../parts/list.tsx';
import { search } from '../parts/search.ts';
import { SearchField } from '../parts/search-field.tsx';
import { Share } from '../parts/share.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import type { TenantPageProps } from '../parts/tenant-page.ts';
import { Empty, PageHead, Refusal } from '../parts/text.tsx';
import { countOf } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { PropertyCard } from './property-card.tsx';

/** How many characters of an example are shown. */
const EXAMPLE_LENGTH = 60;

/** The catalogue of what events have: each path with its share of the events, its types and examples. */
export function PropertiesPage({ tenant: { alias } }: TenantPageProps) {
  const { parameters } = place.value;
  const event = parameters.get('event') ?? '';
  const path = parameters.get('path') ?? '';
  const since = now.value;
  const seenPaths = useSeenPaths(alias, since);
  const {
    value: total,
    error,
    again,
  } = useAnswer((signal) => countOf(alias, event === '' ? {} : { event }, signal), [alias, event], { since });
  const failure = error ?? seenPaths.error;
  return (
    <>
      <PageHead title="Properties" lead="What events have, and how many of them have it." />
      <Asked seenPaths={seenPaths} />
      {path !== '' && <PropertyCard key={path} alias={alias} path={path} seenPaths={seenPaths} />}
      {failure !== undefined ? (
        <Refusal error={failure} again={again} />
      ) : total === undefined || seenPaths.isReading ? (
        <Skeleton of="rows" />
      ) : (
        <Found seenPaths={seenPaths} total={total} />
      )}
    </>
  );
}

/** Of which events the paths are shown, and which of these paths. */
function Asked({ seenPaths: { names } }: { readonly seenPaths: SeenPaths }) {
  return (
    <div class="properties-asked" role="search" aria-label="Properties">
      <EventField names={names} onName={(name) => setParameters({ event: name })} />
      <SearchField
        placeholder="Search paths"
        value={place.value.parameters.get('search') ?? ''}
        onValue={(text) => setParameters({ search: text }, true)}
      />
    </div>
  );
}

interface FoundProps {
  readonly seenPaths: SeenPaths;
  /** How many events there are. */
  readonly total: number;
}

function Found({ seenPaths: { properties, more }, total }: FoundProps) {
  const typed = place.value.parameters.get('search') ?? '';
  const rows = useMemo(() => search(properties, typed, ({ path }) => [path]), [properties, typed]);
  if (properties.length === 0)
    return <Empty title="No properties yet">They are listed here as soon as an event has some.</Empty>;
  return (
    <>
      <p class="hint" role="status">
        {figure(rows.length)} of {figure(properties.length)} paths, {figure(total)}{' '}
        {total === 1 ? 'event' : 'events'}
        {more && '. Events have more paths than a server lists.'}
      </p>
      {rows.length > 0 && (
        <List
          key={typed}
          label="Paths of properties"
          rows={rows}
          columns={columnsOf(total)}
          keyOf={({ path }) => path}
        />
      )}
    </>
  );
}

/** How many events have something at a path that is not null. */
const presentIn = ({ types }: Property) =>
  Object.entries(types).reduce((sum, [type, count]) => (type === 'null' ? sum : sum + count), 0);

function columnsOf(total: number): readonly ListColumn<Property>[] {
  return [
    {
      head: 'Path',
      class: 'properties-path',
      cell: ({ path }) => (
        <a href={addressWith(place.value, { path })}>
          <bdi>{seen(path)}</bdi>
        </a>
      ),
    },
    {
      head: 'Events',
      class: 'properties-share',
      cell: (property) => <Share count={presentIn(property)} total={total} />,
    },
    { head: 'Types', cell: (property) => typesText(property) },
    {
      head: 'Examples',
      class: 'properties-examples',
      cell: ({ examples }) => (
        <bdi class="muted">{examples.map((each) => cut(written(each), EXAMPLE_LENGTH)).join(', ')}</bdi>
      ),
    },
  ];
}

/** The types of the values, the most frequent first, each with its share where there are several. */
function typesText({ types }: Property): string {
  const all = Object.entries(types).sort(([, a], [, b]) => b - a);
  const sum = all.reduce((sum, [, count]) => sum + count, 0);
  return all
    .map(([type, count]) => (all.length === 1 ? type : `${type} ${shareText(count, sum)}`))
    .join(', ');
}
