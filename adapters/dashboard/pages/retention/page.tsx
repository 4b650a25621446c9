import type { Cohort, Retention, RetentionBody, RetentionUnit } from '../../../../src/index.ts';
import { place, setParameters } from '../address/place.ts';
import { bodyOfStep, isOpen, stepsText, type AskedStep } from '../address/steps.ts';
import { byClock, type AskedQuestion } from '../explore/asked-question.ts';
import type { SeenPaths } from '../explore/filter/seen-paths.ts';
import { Field, Select } from '../parts/field.tsx';
import { figure, shareText } from '../parts/figure.ts';
import { useFirst } from '../parts/first.tsx';
import { inZone, Table } from '../parts/list.tsx';
import { shadeOf } from '../parts/shade.ts';
import { Skeleton } from '../parts/skeleton.tsx';
import type { TenantPageProps } from '../parts/tenant-page.ts';
import { Empty, Refusal } from '../parts/text.tsx';
import { ask } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { AskedSteps } from '../steps/asked-steps.tsx';
import { StepsEditor } from '../steps/editor.tsx';
import { textIn } from '../time/zone.ts';
import { DAY_MS, type TimeRange } from '../time/unit.ts';
import { statesOf, type PeriodState } from './periods.ts';

const HEAD = { title: 'Retention', lead: 'Who comes back after a start, and when.' };

/** Which of those who started return, by the time of their start. */
export function RetentionPage({ tenant: { alias } }: TenantPageProps) {
  return (
    <AskedSteps alias={alias} head={HEAD}>
      {(question) => <Asked alias={alias} {...question} />}
    </AskedSteps>
  );
}

const UNITS: readonly (readonly [RetentionUnit, string])[] = [
  ['day', 'Day'],
  ['week', 'Week'],
  ['month', 'Month'],
];
const WINDOWS = [
  ['', 'Of the calendar, in the zone'],
  ['start', 'From each start, of 24 hours'],
] as const;
const RETURNS = [
  ['', 'In the period'],
  ['later', 'In it or later'],
] as const;
const PERIODS = ['4', '8', '12', '30'].map((each) => [each, each] as const);
/** How many periods are followed where the address says nothing. */
const PERIODS_FIRST = '8';

/** How many days a range has at most that is cut into cohorts by day where the address says nothing. */
const DAYS_MOST = 15;

/** How the address wants the cohorts of a range to be followed. */
function followedIn(parameters: URLSearchParams, { from, until }: TimeRange) {
  const text = (name: string) => parameters.get(name) ?? '';
  const isFromStart = text('windows') === 'start';
  const first = until - from <= DAYS_MOST * DAY_MS ? 'day' : 'week';
  const unit = UNITS.find(([each]) => each === text('cohort'))?.[0] ?? first;
  return {
    // A month has no length of its own.
    unit: isFromStart && unit === 'month' ? 'week' : unit,
    periods: text('periods') || PERIODS_FIRST,
    isFromStart,
    isOrLater: text('returns') === 'later',
  };
}

interface AskedProps {
  readonly alias: string;
  readonly asked: AskedQuestion;
  readonly steps: readonly AskedStep[];
}

function Asked({ alias, asked, steps, seenPaths }: AskedProps & { readonly seenPaths: SeenPaths }) {
  const { parameters } = place.value;
  const { unit, periods, isFromStart, isOrLater } = followedIn(parameters, asked.range);
  const choice = <T extends string>(
    label: string,
    name: string,
    options: readonly (readonly [T, string])[],
    value: T,
  ) => (
    <Field label={label}>
      {(ids) => (
        <Select
          {...ids}
          options={options}
          value={value}
          onValue={(each) => setParameters({ [name]: each })}
        />
      )}
    </Field>
  );
  const known = PERIODS.some(([each]) => each === periods)
    ? PERIODS
    : [...PERIODS, [periods, periods] as const];
  // A third step of an address, such as that of a funnel, is no part of a retention.
  const two = steps.slice(0, 2);
  return (
    <>
      <section class="card" aria-label="What is asked">
        <StepsEditor
          steps={two}
          onSteps={(next) => setParameters({ steps: stepsText(next) })}
          asked={asked}
          seenPaths={seenPaths}
          names={['Start', 'Return']}
        />
        <div class="row step-options">
          {choice('Cohorts by', 'cohort', isFromStart ? UNITS.slice(0, 2) : UNITS, unit)}
          {choice('Periods', 'windows', WINDOWS, isFromStart ? 'start' : '')}
          {choice('How many', 'periods', known, periods)}
          {choice('Returns', 'returns', RETURNS, isOrLater ? 'later' : '')}
        </div>
      </section>
      {two.some(isOpen) ? (
        <Empty title="Choose what a start and a return are">
          Each is an event, a filter, or both. They may be the same.
        </Empty>
      ) : (
        <Cohorts alias={alias} asked={asked} steps={two} />
      )}
    </>
  );
}

function Cohorts({ alias, asked, steps }: AskedProps) {
  const followed = followedIn(place.value.parameters, asked.range);
  const { unit, periods, isFromStart } = followed;
  const body: RetentionBody = {
    ...byClock(asked),
    steps: steps.map(bodyOfStep),
    ...{ unit, periods: Number(periods) },
    ...(isFromStart ? { periodsFrom: 'start' } : {}),
  };
  const { value, error, loading, isOld, again } = useAnswer(
    async (signal) => ({
      answer: await ask<Retention>(`query/retention/${alias}`, body, { signal }),
      shown: { unit, isFromStart, zone: asked.zone, since: asked.since },
    }),
    [alias, asked.subject, JSON.stringify([steps, unit, periods, isFromStart])],
    { since: asked.since },
  );
  if (error !== undefined) return <Refusal error={error} again={again} />;
  if (value === undefined) return <Skeleton of="rows" />;
  const { answer, shown } = value;
  return (
    <section class={isOld ? 'card old' : 'card'} aria-labelledby="cohorts" aria-busy={loading}>
      <header>
        <h2 id="cohorts">Users by their first start</h2>
        <span class="hint">
          {figure(answer.total)} {answer.total === 1 ? 'user' : 'users'}
          {answer.missing > 0 && `; ${figure(answer.missing)} events have no user`}
        </span>
      </header>
      {answer.cohorts.length === 0 ? (
        <Empty title="No starts">Nobody started in this range of time.</Empty>
      ) : (
        <CohortTable cohorts={answer.cohorts} isOrLater={followed.isOrLater} {...shown} />
      )}
    </section>
  );
}

interface CohortTableProps {
  readonly cohorts: readonly Cohort[];
  readonly isOrLater: boolean;
  readonly unit: RetentionUnit;
  readonly isFromStart: boolean;
  readonly zone: string;
  readonly since: number;
}

/** The share of each cohort that returned in each period, shaded by it. */
function CohortTable({ cohorts, isOrLater, ...followed }: CohortTableProps) {
  const { shown, more } = useFirst(cohorts, 'cohorts');
  const { unit, zone } = followed;
  const numbers = cohorts[0]!.periods.map((_, i) => i);
  return (
    <>
      <Table label="Cohorts" class="cohorts">
        <thead>
          <tr>
            <th scope="col">{inZone('Start')}</th>
            <th scope="col" class="number">
              Users
            </th>
            {numbers.map((i) => (
              <th key={i} scope="col" class="number">
                {unit} {i}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ key, count, periods }) => {
            const states = statesOf(Date.parse(key), periods.length, followed);
            return (
              <tr key={key}>
                <th scope="row">{textIn(zone, Date.parse(key), 10)}</th>
                <td class="number">{figure(count)}</td>
                {periods.map((period, i) => (
                  <Cell
                    key={i}
                    returned={isOrLater ? period.orLater : period.count}
                    of={count}
                    state={states[i]!}
                  />
                ))}
              </tr>
            );
          })}
        </tbody>
      </Table>
      {more}
      <p class="hint">A period in italics is not over yet.</p>
    </>
  );
}

/** How many of a cohort returned; nothing where that is in the future or where nobody started. */
function Cell({
  returned,
  of,
  state,
}: {
  readonly returned: number;
  readonly of: number;
  readonly state: PeriodState;
}) {
  if (of === 0 || (state === 'future' && returned === 0)) return <td class="number muted" />;
  return (
    <td class={`number ${shadeOf(returned, of)}`} title={`${figure(returned)} of ${figure(of)}`}>
      {state === 'over' ? shareText(returned, of) : <em>{shareText(returned, of)}</em>}{' '}
      <span class="muted">{figure(returned)}</span>
    </td>
  );
}
