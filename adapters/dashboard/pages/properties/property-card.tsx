import { useEffect, useRef } from 'preact/hooks';
import type { Breakdown, CountBody, Filter } from '../../../../src/index.ts';
import { linkTo } from '../address/address.ts';
import { toPath } from '../address/paths.ts';
import { place, setParameters } from '../address/place.ts';
import { seen } from '../address/written.ts';
import { zoneNow } from '../address/zone.ts';
import { hasValue } from '../explore/filter/comparisons.ts';
import { ChosenPath } from '../explore/filter/path-field.tsx';
import type { SeenPaths } from '../explore/filter/seen-paths.ts';
import { Refusal } from '../parts/text.tsx';
import { ask } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { isUnit } from '../time/unit.ts';
import { textIn } from '../time/zone.ts';
import { PresenceList } from './presence-list.tsx';

interface PropertyCardProps {
  readonly alias: string;
  readonly path: string;
  readonly seenPaths: SeenPaths;
}

/** Which events have a path: from when to when, by their names, and by another path such as a version. */
export function PropertyCard({ alias, path, seenPaths }: PropertyCardProps) {
  const { parameters } = place.value;
  const event = parameters.get('event') ?? '';
  const by = toPath(parameters.get('by') ?? '');
  const head = useRef<HTMLHeadingElement>(null);
  // Choosing a path in the list below leads to this card.
  useEffect(() => {
    head.current?.focus({ preventScroll: true });
    head.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const all: CountBody = event === '' ? {} : { event };
  const filters = [hasValue(path, null, true)];
  const link = linkTo('explore', alias, {
    range: 'all',
    filter: JSON.stringify(filters),
    ...(event === '' ? {} : { event }),
  });
  return (
    <section class="card property" aria-labelledby="property">
      <header>
        <h2 id="property" tabIndex={-1} ref={head}>
          <bdi>{seen(path)}</bdi>
        </h2>
        <a class="button small" href={link}>
          Show the events
        </a>
        <button type="button" class="ghost" onClick={() => setParameters({ path: '', by: '' })}>
          Close
        </button>
      </header>
      <FirstAndLast alias={alias} all={all} filters={filters} />
      <div class="columns">
        {event === '' && (
          <PresenceList title="By event name" alias={alias} all={all} filters={filters} by="eventName" />
        )}
        <div>
          <ChosenPath
            seenPaths={seenPaths}
            aria-label="By another path"
            placeholder="by another path, such as a version"
            path={by}
            onPath={(path) => !isUnit(path) && setParameters({ by: path })}
          />
          {by !== '' && !isUnit(by) && (
            <PresenceList title={`By ${seen(by)}`} alias={alias} all={all} filters={filters} by={by} />
          )}
        </div>
      </div>
    </section>
  );
}

interface FirstAndLastProps {
  readonly alias: string;
  readonly all: CountBody;
  readonly filters: readonly Filter[];
}

/** When the first and the last event with the path were. */
function FirstAndLast({ alias, all, filters }: FirstAndLastProps) {
  const { value, error, again } = useAnswer(
    (signal) => {
      const body = { ...all, filterSet: filters, measures: [{ of: 'eventTs', take: ['min', 'max'] }] };
      return ask<Breakdown>(`query/breakdown/${alias}`, body, { signal });
    },
    [alias, JSON.stringify([all, filters])],
  );
  if (error !== undefined) return <Refusal error={error} again={again} />;
  if (value === undefined) return <p class="muted">Counting…</p>;
  const { min, max } = value.measures?.[0] ?? {};
  if (typeof min !== 'string' || typeof max !== 'string')
    return <p class="muted">No event has a value there.</p>;
  const zone = zoneNow.value;
  const [first, last] = [min, max].map((each) => textIn(zone, Date.parse(each)));
  return (
    <p>
      First seen <strong>{first}</strong>, last seen <strong>{last}</strong>{' '}
      <span class="muted">({zone})</span>
    </p>
  );
}
