import type { Difference, Differences } from '../../../../src/index.ts';
import { setParameters } from '../address/place.ts';
import { cut, written } from '../address/written.ts';
import { figure } from '../parts/figure.ts';
import { List, type ListColumn } from '../parts/list.tsx';
import { Share } from '../parts/share.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Empty, Refusal } from '../parts/text.tsx';
import { ask } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { intervalText, type Against } from '../time/against.ts';
import type { TimeRange } from '../time/unit.ts';
import { textIn } from '../time/zone.ts';
import { isFiltered, type AskedQuestion } from './asked-question.ts';
import { shortPath } from './event-table.tsx';
import { askFor } from './filter/ask-for.ts';
import { hasValue } from './filter/comparisons.ts';
import { OnlyNot } from './only-not.tsx';
import { around, otherTime, questionOfDiffering } from './differing.ts';
import { rangeAround } from './time.ts';

/** How many characters of a value are shown. Its title has more of them. */
const TEXT_LENGTH = 120;

interface DiffersProps {
  readonly alias: string;
  readonly asked: AskedQuestion;
  /** With what the events shown are compared. */
  readonly against: Against;
}

/** The values of all properties whose shares of the events shown and of others differ most. */
export function Differs({ alias, asked, against }: DiffersProps) {
  const question = questionOfDiffering(asked, against);
  const { value, error, loading, isOld, again } = useAnswer(
    async (signal) => question && ask<Differences>(`query/compare/${alias}`, question, { signal }),
    [alias, asked.subject, against],
    { since: asked.since },
  );
  return (
    <section
      class={isOld ? 'card differs old' : 'card differs'}
      aria-labelledby="differs"
      aria-busy={loading}
    >
      <header>
        <h2 id="differs" tabIndex={-1}>
          What differs
        </h2>
        <AgainstChoice asked={asked} against={against} />
        <button type="button" class="ghost" onClick={() => setParameters({ against: '' }, true)}>
          Close
        </button>
      </header>
      {error !== undefined ? (
        <Refusal error={error} again={again} />
      ) : question === undefined ? (
        <p class="hint">
          {against === 'unmatched'
            ? 'All events match. Add a filter to compare those that match with the others.'
            : 'Choose a range with a beginning and an end to compare it.'}
        </p>
      ) : value === undefined ? (
        <Skeleton of="rows" />
      ) : (
        <Rows found={value} asked={asked} against={against} />
      )}
    </section>
  );
}

/** The choice of what the events shown are compared with. */
function AgainstChoice({ asked, against }: Pick<DiffersProps, 'asked' | 'against'>) {
  const outer = rangeAround(asked.range);
  const hasOthers = isFiltered(asked.body);
  const choices = ['before', outer && intervalText(outer), against, '../..', hasOthers && 'unmatched'];
  const textOf = (each: string) => {
    if (each === 'before') return 'the period before';
    if (each === 'unmatched') return 'events that do not match';
    if (each === '../..') return hasOthers ? 'such events of all other time' : 'all other events';
    return `the rest of ${timeText(asked, each)}`;
  };
  return (
    <label class="inline-label">
      <span>against</span>
      <select
        value={against}
        onChange={(event) => setParameters({ against: event.currentTarget.value }, true)}
      >
        {[...new Set(choices.filter((each) => typeof each === 'string'))].map((each) => (
          <option key={each} value={each}>
            {textOf(each)}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A range of time in words. */
function rangeText({ from, until }: TimeRange, zone: string): string {
  const ends = [
    ...(Number.isFinite(from) ? [`from ${textIn(zone, from)}`] : []),
    ...(Number.isFinite(until) ? [`to ${textIn(zone, until)}`] : []),
  ];
  return ends.length === 0 ? 'all time' : `the time ${ends.join(' ')}`;
}

/** The time of the others in words, with the range shown where this is a part of it. */
function timeText(asked: AskedQuestion, against: Against): string {
  const other = otherTime(asked, against) ?? asked.range;
  const { from, until } = asked.range;
  const isApart = other.until <= from || other.from >= until;
  return rangeText(isApart ? other : around(asked.range, other), asked.zone);
}

interface RowsProps extends Pick<DiffersProps, 'asked' | 'against'> {
  readonly found: Differences;
}

function Rows({ found, asked, against }: RowsProps) {
  const { selected, baseline, paths, more, rows } = found;
  if (selected === 0 || baseline === 0) {
    return (
      <Empty title={selected === 0 ? 'No events to compare' : 'No other events to compare with'}>
        Change the range or the filters, or compare with others.
      </Empty>
    );
  }
  return (
    <>
      <p class="hint">
        {figure(selected)} {selected === 1 ? 'event' : 'events'} against {figure(baseline)} others of{' '}
        {timeText(asked, against)}, by {paths.length} {more && 'most frequent '}
        {paths.length === 1 ? 'property' : 'properties'}.
      </p>
      {rows.length === 0 ? (
        <Empty title="Nothing differs">All values are equally frequent in both.</Empty>
      ) : (
        <List
          label="Values that differ"
          rows={rows}
          columns={columnsOf(found, against)}
          keyOf={nameOf}
          isPaged
        />
      )}
    </>
  );
}

const nameOf = ({ path, value }: Difference) => JSON.stringify([path, value]);

function columnsOf({ selected, baseline }: Differences, against: Against): readonly ListColumn<Difference>[] {
  return [
    { head: 'Property', cell: ({ path }) => <bdi title={path}>{shortPath(path)}</bdi> },
    { head: 'Value', class: 'differs-value', cell: (row) => <Value {...row} /> },
    {
      head: against === 'unmatched' ? 'Matching' : 'Time shown',
      class: 'differs-share',
      cell: (row) => <Share count={row.selected} total={selected} />,
    },
    {
      head: against === 'unmatched' ? 'Others' : 'Other time',
      class: 'differs-share other',
      cell: (row) => <Share count={row.baseline} total={baseline} />,
    },
    { head: 'Difference', class: 'number', cell: ({ difference }) => pointsText(difference) },
  ];
}

/** A value, which filters for itself, and the way to exclude it. */
function Value({ path, value }: Difference) {
  const text = value === null ? 'missing or null' : cut(written(value), TEXT_LENGTH);
  return (
    <>
      <button
        type="button"
        class="as-text"
        aria-label={`only: ${shortPath(path)} ${text}`}
        title={`Only these: ${value === null ? text : written(value)}`}
        onClick={() => askFor(hasValue(path, value, false))}
      >
        <bdi>{value === '' ? '(empty text)' : text}</bdi>
      </button>{' '}
      <OnlyNot name={`${shortPath(path)} ${text}`} not={hasValue(path, value, true)} />
    </>
  );
}

/** A difference of shares in points of a percent. */
function pointsText(difference: number): string {
  const points = Math.abs(difference * 100);
  const text = points < 0.1 ? '<0.1' : points.toFixed(1).replace(/\.0$/, '');
  return `${difference > 0 ? '+' : '−'}${text}`;
}
