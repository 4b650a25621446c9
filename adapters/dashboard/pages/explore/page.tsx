import type { ComponentProps } from 'preact';
import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { figure } from '../parts/figure.ts';
import { countOf } from '../server/api.ts';
import { useAnswer, useBelow } from '../server/loading.ts';
import { lazy, Loaded } from '../parts/lazy.tsx';
import { Popover } from '../parts/popover.tsx';
import { PageSkeleton, Skeleton } from '../parts/skeleton.tsx';
import { Empty, PageHead, Refusal } from '../parts/text.tsx';
import { addressWith } from '../address/address.ts';
import { place, shownView } from '../address/place.ts';
import { cut } from '../address/written.ts';
import type { TenantPageProps } from '../parts/tenant-page.ts';
import { Columns } from './columns.tsx';
import { Cuts } from './cuts.tsx';
import { EventTable } from './event-table.tsx';
import { FilterBar } from './filter/filter-bar.tsx';
import { FirstMinute } from './first-minute.tsx';
import { useSeenPaths, type SeenPaths } from './filter/seen-paths.ts';
import { keepInstant, loadPage, Turning, turnTo } from './pages.tsx';
import { RankedRows, RowOrder } from './row-order.tsx';
import { Views, ViewsButton } from '../views/button.tsx';
import { shownRange } from '../views/question.ts';
import { ShowAll } from '../parts/unreadable.tsx';
import { FIRST_COLUMNS } from '../address/columns.ts';
import { columnsOf, rankingOf, type RankedBy } from '../address/question.ts';
import { ShownTime, TimeControl } from './time-control.tsx';
import { withoutRange, type AskedQuestion } from './asked-question.ts';
import { useAsked } from './time.ts';
import { moves, NO_RANGE, PRESET_WORDS, saysTime } from '../time/asked.ts';

const HEAD = {
  title: 'Explorer',
  lead: 'Raw events, filtered and counted.',
};

/** How many characters of the name of a view are its heading. */
const NAME_LENGTH = 60;

/** The way to the first event. Only a tenant without events needs its code. */
const FIRST_RUN = lazy(async () => (await import('./first-run.tsx')).FirstRun, 'rare');
/** What to do with the question. */
const SHARE_PANEL = lazy(async () => (await import('./share-panel.tsx')).SharePanel);
/** The question in other forms. */
const SHARE = lazy(async () => (await import('./share.tsx')).Share);

/**
 * The explorer: raw events by filter, their count, their groups by time and value, and each event as sent.
 */
export function ExplorePage({ tenant }: TenantPageProps) {
  const [isFirst, setFirst] = useState(false);
  // The first event brings new names and paths, so the explorer starts again.
  return <Timed key={String(isFirst)} tenant={tenant} onFirst={() => setFirst(true)} />;
}

interface ExplorerProps extends TenantPageProps {
  /** Called when the first events have arrived, and the user asks about them. */
  readonly onFirst: () => void;
}

/** The explorer, once the range of its first view is known. */
function Timed(props: Omit<ExplorerProps, 'reload'>) {
  const { asked, error, again } = useAsked(props.tenant.alias);
  if (asked !== undefined) return <Explorer {...props} asked={asked} />;
  if (error === undefined) return <PageSkeleton {...HEAD} />;
  return (
    <>
      <PageHead {...HEAD} />
      <Refusal error={error} again={again} />
    </>
  );
}

function Explorer({
  tenant,
  onFirst,
  asked,
}: Omit<ExplorerProps, 'reload'> & { readonly asked: AskedQuestion }) {
  const { alias } = tenant;
  const [sharing, setSharing] = useState(false);
  const { body } = asked;
  useLayoutEffect(() => {
    shownRange.value = asked;
    return () => void (shownRange.value = undefined);
  }, [asked.subject, asked.since]);
  const seenPaths = useSeenPaths(alias, asked.since);
  const isAll = Object.keys(body).length === 0;
  const columns = shownColumns(place.value.parameters);
  const count = useAnswer((signal) => countOf(alias, body, signal), [alias, asked.subject], {
    since: asked.since,
  });
  /** How many events match the current question; undefined until that is known. */
  const total = count.isOld ? undefined : count.value;
  // When the count arrives, the other parts do not render again.
  const asking = useMemo(
    () => (
      <>
        {alias === 'demo' && <FirstMinute />}
        <div class="explore-bar">
          <h1 class="hidden" tabIndex={-1}>
            {HEAD.title}
            {shownView.value !== undefined && `: ${cut(shownView.value, NAME_LENGTH)}`}
          </h1>
          <FilterBar asked={asked} seenPaths={seenPaths} isTold={count.error !== undefined} />
          <div class="bar-side">
            <TimeControl asked={asked} />
            <ViewsButton />
            <Popover text="Share" label="Share" keeps>
              {() => (
                <Loaded
                  of={SHARE_PANEL}
                  props={{ alias, asked, columns, onQuery: () => setSharing(true) }}
                  isDialog
                />
              )}
            </Popover>
          </div>
        </div>
      </>
    ),
    [alias, asked.subject, asked.since, seenPaths, count.error, columns?.join(), shownView.value],
  );
  const cuts = useMemo(
    () => <Cuts alias={alias} asked={asked} seenPaths={seenPaths} />,
    [alias, asked.subject, asked.since, seenPaths],
  );
  // A tenant without events has nothing to filter, and the count would not follow what arrives.
  if (total === 0 && isAll) {
    return (
      <>
        <PageHead {...HEAD} />
        <Loaded of={FIRST_RUN} props={{ tenant, onQuestion: onFirst }} />
      </>
    );
  }
  return (
    <>
      {asking}
      {count.error !== undefined && (
        <Refusal error={count.error} again={count.again}>
          {!isAll && <ShowAll />}
        </Refusal>
      )}
      <Total alias={alias} asked={asked} count={count} isAll={isAll} />
      {count.error === undefined && (
        <>
          {cuts}
          <Rows alias={alias} asked={asked} total={total} seenPaths={seenPaths} />
        </>
      )}
      <Views alias={alias} />
      {sharing && <Loaded of={SHARE} props={{ alias, asked, onClose: () => setSharing(false) }} isDialog />}
    </>
  );
}

interface TotalProps {
  readonly alias: string;
  readonly asked: AskedQuestion;
  readonly count: ReturnType<typeof useAnswer<number>>;
  readonly isAll: boolean;
}

/** How many events match, in words. */
function Total({ alias, asked, count: { value, loading, isOld, error }, isAll }: TotalProps) {
  const { preset } = asked;
  const total = isOld ? undefined : value;
  // The user did not choose the range of a first view, so it says how many events it leaves out.
  const isFirst = total !== undefined && moves(preset) && !saysTime(place.value.parameters);
  const all = useAnswer(
    async (signal) => (isFirst ? countOf(alias, withoutRange(asked.body), signal) : undefined),
    [alias, asked.subject, isFirst],
    { isAside: true },
  );
  return (
    <div class="counted">
      <p class={loading && !isOld ? 'count old' : 'count'} aria-live="polite" hidden={error !== undefined}>
        {/* A screen reader does not read a figure that is missing or belongs to another question. */}
        <span aria-hidden={total === undefined}>
          <strong>{total === undefined ? '…' : figure(total)}</strong> {total === 1 ? 'event' : 'events'}{' '}
          {isAll ? 'in total' : total === 1 ? 'matches' : 'match'}
        </span>{' '}
        {moves(preset) && (
          <span class="muted">
            {PRESET_WORDS[preset].startsWith('the ') ? 'in ' : ''}
            {PRESET_WORDS[preset]}
            {isFirst && all.value !== undefined && all.value > total && (
              <>
                {' '}
                of{' '}
                <a href={addressWith(place.value, { ...NO_RANGE, range: 'all' })}>
                  {figure(all.value)} in all
                </a>
              </>
            )}
          </span>
        )}
      </p>
      <ShownTime asked={asked} />
    </div>
  );
}

/** The paths of the columns of the table; undefined if none are chosen, so that it shows a summary. */
function shownColumns(parameters: URLSearchParams): readonly string[] | undefined {
  const columns = columnsOf(parameters);
  return columns.length === 0 ? undefined : [...FIRST_COLUMNS, ...columns];
}

/** How many rows render first, as a screen shows no more. The others follow after the first paint. */
const FIRST_ROWS = 12;

function Rows({
  alias,
  asked,
  total,
  seenPaths,
}: {
  readonly alias: string;
  readonly asked: AskedQuestion;
  readonly total: number | undefined;
  readonly seenPaths: SeenPaths;
}) {
  const { parameters } = place.value;
  const cursor = parameters.get('cursor') ?? '';
  const columns = columnsOf(parameters);
  const ranking = rankingOf(parameters);
  const { value, error, loading, isOld, again } = useAnswer(
    (signal) => loadPage(alias, asked.body, parameters, signal),
    [alias, asked.subject, cursor, ranking?.of, ranking?.order],
    { since: asked.since },
  );
  const isBelow = useBelow(value);
  const events = isBelow ? value?.events : value?.events.slice(0, FIRST_ROWS);
  const turn = (to: string) => {
    keepInstant(asked);
    turnTo({ cursor: to });
  };
  const first = cursor === '' ? undefined : () => turn('');
  const next = value?.next;
  // The numbers are shown, wherever they are in the events.
  const shown = ranking === undefined || columns.includes(ranking.of) ? columns : [ranking.of, ...columns];
  const columnTexts = JSON.stringify(shown);
  const canRank = (path: string) =>
    seenPaths.properties.some((each) => each.path === path && each.types.number !== undefined);
  // The rows do not render again while other answers arrive.
  const table = useMemo(
    () =>
      events !== undefined &&
      events.length > 0 && <EventTable events={events} columns={shown} sorting={{ ranking, canRank }} />,
    [value, isBelow, columnTexts, ranking?.of, ranking?.order, seenPaths],
  );
  return (
    <section class={isOld ? 'rows old' : 'rows'} aria-labelledby="rows" aria-busy={loading || !isBelow}>
      <header>
        <h2 id="rows" tabIndex={-1}>
          Events
        </h2>
        <RowOrder ranking={ranking} seenPaths={seenPaths} />
        <Columns columns={columns} seenPaths={seenPaths} />
      </header>
      {error !== undefined && (
        <Refusal error={error} again={again}>
          {first !== undefined && (
            <button type="button" onClick={first}>
              First page
            </button>
          )}
        </Refusal>
      )}
      {value?.events.length === 0 && <Nothing ranking={ranking} />}
      {value === undefined && error === undefined && <Skeleton of="rows" />}
      {table}
      {value !== undefined && (
        <End
          ranking={ranking}
          shown={value.events.length}
          total={total}
          first={first}
          next={next === undefined ? undefined : () => turn(next)}
        />
      )}
    </section>
  );
}

interface RankedProps {
  /** By which numbers the rows come; undefined if they come newest first. */
  readonly ranking: RankedBy | undefined;
}

function Nothing({ ranking }: RankedProps) {
  return (
    <Empty title={ranking === undefined ? 'No events match' : 'No events with a number there match'}>
      Remove a filter, or widen the date range. <ShowAll />
    </Empty>
  );
}

/** What stands below the rows. Those by their numbers have no other pages. */
function End({ ranking, ...turning }: RankedProps & ComponentProps<typeof Turning>) {
  if (ranking === undefined) return <Turning {...turning} />;
  return turning.shown === 0 ? null : <RankedRows ranking={ranking} shown={turning.shown} />;
}
