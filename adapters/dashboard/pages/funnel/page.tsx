import type { Sequence, SequenceBody, SequenceStep } from '../../../../src/index.ts';
import { linkTo } from '../address/address.ts';
import { place, setParameters } from '../address/place.ts';
import { toPath } from '../address/paths.ts';
import { bodyOfStep, isOpen, stepsText, type AskedStep } from '../address/steps.ts';
import { cut, seen, written } from '../address/written.ts';
import type { AskedQuestion } from '../explore/asked-question.ts';
import { shortPath } from '../explore/event-table.tsx';
import { ChosenPath } from '../explore/filter/path-field.tsx';
import type { SeenPaths } from '../explore/filter/seen-paths.ts';
import { Field } from '../parts/field.tsx';
import { figure, shareText } from '../parts/figure.ts';
import { Table } from '../parts/list.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import type { TenantPageProps } from '../parts/tenant-page.ts';
import { Empty, Refusal } from '../parts/text.tsx';
import { ask } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { AskedSteps } from '../steps/asked-steps.tsx';
import { StepsEditor } from '../steps/editor.tsx';
import { lengthText, withinText } from '../steps/length.ts';

const HEAD = {
  title: 'Funnel',
  lead:
    'How many users take each step, in this order, and how long it takes. ' +
    'The first step lies in the range of time; those after it may be later.',
};

/** How far users come in a sequence of steps. */
export function FunnelPage({ tenant: { alias } }: TenantPageProps) {
  return (
    <AskedSteps alias={alias} head={HEAD}>
      {(question) => <Funnel alias={alias} {...question} />}
    </AskedSteps>
  );
}

interface FunnelProps {
  readonly alias: string;
  readonly asked: AskedQuestion;
  readonly steps: readonly AskedStep[];
}

/** How long an attempt may take: those that are offered. */
const WITHIN = ['1h', '12h', '1d', '7d', '14d', '30d', '90d'];

function Funnel({ alias, asked, steps, seenPaths }: FunnelProps & { readonly seenPaths: SeenPaths }) {
  const { parameters } = place.value;
  const within = parameters.get('within') ?? '';
  const by = parameters.get('by') ?? '';
  return (
    <>
      <section class="card" aria-label="What is asked">
        <StepsEditor
          steps={steps}
          onSteps={(next) => setParameters({ steps: stepsText(next) })}
          asked={asked}
          seenPaths={seenPaths}
        />
        <div class="row step-options">
          <Field label="Within">
            {(ids) => (
              <select
                {...ids}
                value={within}
                onChange={({ currentTarget }) => setParameters({ within: currentTarget.value })}
              >
                <option value="">any time</option>
                {[...new Set([...WITHIN, ...(within === '' ? [] : [within])])].map((each) => (
                  <option key={each} value={each}>
                    {withinText(each)}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Groups by">
            {(ids) => (
              // That of the first step. An empty one groups by none.
              <ChosenPath
                {...ids}
                seenPaths={seenPaths}
                placeholder="properties.country"
                path={by}
                onPath={(path) => setParameters({ by: path })}
              />
            )}
          </Field>
        </div>
      </section>
      {steps.some(isOpen) ? (
        <Empty title="Choose what each step is">
          A step is an event, a filter, or both. At least two make a funnel.
        </Empty>
      ) : (
        <Reached alias={alias} asked={asked} steps={steps} within={within} by={by === '' ? '' : toPath(by)} />
      )}
    </>
  );
}

/** How many groups are shown. */
const GROUPS_SIZE = 20;

interface ReachedProps extends FunnelProps {
  readonly within: string;
  readonly by: string;
}

function Reached({ alias, asked, steps, within, by }: ReachedProps) {
  const body: SequenceBody = {
    ...asked.body,
    steps: steps.map(bodyOfStep),
    percentiles: ['p50', 'p90'],
    ...(within === '' ? {} : { within }),
    ...(by === '' ? {} : { by, size: GROUPS_SIZE }),
  };
  const subject = JSON.stringify([asked.subject, steps, within, by]);
  const { value, error, loading, isOld, again } = useAnswer(
    async (signal) => ({
      // What was asked before stays until the next answer arrives, so it keeps its own steps.
      ...{ answer: await ask<Sequence>(`query/sequence/${alias}`, body, { signal }), steps, by },
    }),
    [alias, subject],
    { since: asked.since },
  );
  if (error !== undefined) return <Refusal error={error} again={again} />;
  if (value === undefined) return <Skeleton of="rows" />;
  const { answer } = value;
  return (
    <section class={isOld ? 'card funnel old' : 'card funnel'} aria-labelledby="reached" aria-busy={loading}>
      <header>
        <h2 id="reached">Users by step</h2>
        <span class="hint">Times are the median, and what nine in ten did not exceed.</span>
      </header>
      <ol class="reached">
        {answer.steps.map((_, i) => (
          <ReachedStep key={i} alias={alias} asked={asked} answer={answer} at={i} step={value.steps[i]!} />
        ))}
      </ol>
      {answer.missing > 0 && (
        <p class="hint">{figure(answer.missing)} events match a step and have no user.</p>
      )}
      {answer.groups !== undefined && <Groups answer={answer} by={value.by} />}
    </section>
  );
}

interface ReachedStepProps {
  readonly alias: string;
  readonly asked: AskedQuestion;
  readonly answer: Sequence;
  readonly at: number;
  readonly step: AskedStep;
}

/** A step: how many reached it, of all who began and of the step before, and who stopped at it. */
function ReachedStep({ alias, asked, answer: { steps }, at, step }: ReachedStepProps) {
  const { count, sincePrevious, sinceStart }: SequenceStep = steps[at]!;
  const first = steps[0]!.count;
  const before = steps[at - 1]?.count;
  const next = steps[at + 1]?.count;
  const who = (told: Readonly<Record<string, string>>) =>
    linkTo('users', alias, { ...parametersOf(asked), ...told });
  return (
    <li>
      <span class="bar-text">
        <span class="step-number">{at + 1}</span>{' '}
        <bdi>{step.event === '' ? 'any event' : seen(step.event)}</bdi>
        {step.filters.length > 0 && (
          <span class="muted">
            {' '}
            with {step.filters.length} {step.filters.length === 1 ? 'filter' : 'filters'}
          </span>
        )}
      </span>
      <span class="bar-figure">
        {figure(count)} <span class="muted">{shareText(count, first)}</span>
      </span>
      <svg class="bar-line" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect width={(count / Math.max(first, 1)) * 100} height="1" />
      </svg>
      <span class="reached-details muted">
        {before !== undefined && <span>{shareText(count, before)} of the step before</span>}
        {timesText(sincePrevious) !== undefined && <span>{timesText(sincePrevious)} after it</span>}
        {at > 1 && timesText(sinceStart) !== undefined && (
          <span>{timesText(sinceStart)} after the first</span>
        )}
        {next !== undefined && count > next && (
          <a href={who({ stopped: String(at + 1) })}>Who stopped here: {figure(count - next)}</a>
        )}
        {next === undefined && count > 0 && <a href={who({ reached: String(at + 1) })}>Who came through</a>}
      </span>
    </li>
  );
}

/** The parameters of the question, of the instant of its answer. */
function parametersOf({ preset, since }: AskedQuestion): Readonly<Record<string, string>> {
  const { parameters } = place.peek();
  const kept = ['steps', 'within', 'event', 'filter', 'from', 'until', 'after', 'before', 'zone'].flatMap(
    (name) => {
      const text = parameters.get(name);
      return text === null ? [] : [[name, text] as const];
    },
  );
  const range = preset === undefined ? {} : { range: preset, at: String(since) };
  return { ...Object.fromEntries(kept), ...range };
}

/** The median and the ninetieth percentile of times; undefined where there are none. */
function timesText(times: SequenceStep['sincePrevious']): string | undefined {
  const [p50, p90] = [times?.p50 ?? null, times?.p90 ?? null];
  return p50 === null || p90 === null ? undefined : `${lengthText(p50)}, ${lengthText(p90)}`;
}

const TEXT_LENGTH = 120;

/** How far the users of each group came. */
function Groups({ answer, by }: { readonly answer: Sequence; readonly by: string }) {
  const { groups = [], groupsTotal = 0, rest, steps } = answer;
  const rows = groups.map(({ key, counts }) => ({
    ...{
      name: JSON.stringify(key),
      text: key === '' ? '(empty text)' : cut(written(key), TEXT_LENGTH),
      counts,
    },
  }));
  if (rest !== undefined && (rest.counts[0] ?? 0) > 0)
    rows.push({ name: '', text: 'all others', counts: rest.counts });
  return (
    <>
      <p class="hint">
        By <bdi>{shortPath(by)}</bdi> at the first step: {figure(groupsTotal)} values
        {groupsTotal > groups.length && `, of which the ${figure(groups.length)} most frequent are shown`}.
      </p>
      <Table label="Groups by step">
        <thead>
          <tr>
            <th scope="col">
              <bdi>{shortPath(by)}</bdi>
            </th>
            {steps.map((_, i) => (
              <th key={i} scope="col" class="number">
                {i + 1}
              </th>
            ))}
            <th scope="col" class="number">
              All steps
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, text, counts }) => (
            <tr key={name}>
              <th scope="row">
                <bdi>{text}</bdi>
              </th>
              {counts.map((count, i) => (
                <td key={i} class="number">
                  {figure(count)}
                </td>
              ))}
              <td class="number">{shareText(counts.at(-1) ?? 0, counts[0] ?? 0)}</td>
            </tr>
          ))}
        </tbody>
      </Table>
    </>
  );
}
