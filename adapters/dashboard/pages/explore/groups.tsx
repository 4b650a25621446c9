import { useEffect, useId, useMemo, useState } from 'preact/hooks';
import { Notice } from '../parts/text.tsx';
import { place, setParameters } from '../address/place.ts';
import { toPath } from '../address/paths.ts';
import { shortPath } from './event-table.tsx';
import { ChosenPath, PathField } from './filter/path-field.tsx';
import { suggestionsOf, type SeenPaths } from './filter/seen-paths.ts';
import { GroupList } from './group-list.tsx';
import type { AskedQuestion } from './asked-question.ts';
import { isUnit } from '../time/unit.ts';

/** What a typed text asks for: a unit of time is no path, and the page says so. */
const meaningOf = (typed: string) => (isUnit(typed.trim()) ? typed.trim() : toPath(typed));

interface GroupsProps {
  readonly alias: string;
  readonly asked: AskedQuestion;
  readonly seenPaths: SeenPaths;
}

/** The groups of all matching events by the value at a path. */
export function GroupsPanel({ alias, asked, seenPaths }: GroupsProps) {
  const by = place.value.parameters.get('by') ?? '';
  const [typed, setTyped] = useState(by);
  useEffect(() => setTyped(by), [by]);
  const hint = useId();
  const suggestions = useMemo(() => suggestionsOf(seenPaths), [seenPaths]);
  const absence = isUnit(by) ? undefined : seenPaths.absenceOf(toPath(by));
  const ask = (path: string) => {
    if (path !== by) setParameters({ by: path });
  };
  return (
    <section class={by === '' ? 'card groups' : 'card groups by-path'} aria-labelledby="groups">
      <header>
        <h2 id="groups">Break down by</h2>
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            ask(meaningOf(typed));
          }}
        >
          <PathField
            seenPaths={seenPaths}
            aria-label="By the values of"
            aria-describedby={absence === undefined ? undefined : hint}
            placeholder="properties.country"
            value={typed}
            meaningOf={meaningOf}
            onType={setTyped}
            onCommit={(path) => {
              setTyped(path);
              ask(path);
            }}
          />
          {by !== '' && !isUnit(by) && (
            // A second path makes a table. An empty one leaves the groups alone.
            <ChosenPath
              key={by}
              seenPaths={seenPaths}
              aria-label="Second path"
              placeholder="and by…"
              path={place.value.parameters.get('and') ?? ''}
              onPath={(and) => !isUnit(and) && setParameters({ and })}
            />
          )}
          {by !== '' && (
            <button
              type="button"
              class="ghost"
              onClick={() => {
                setTyped('');
                setParameters({ by: '', and: '' });
              }}
            >
              Clear
            </button>
          )}
        </form>
      </header>
      {absence !== undefined && (
        <p class="hint" id={hint}>
          {absence}
        </p>
      )}
      {by === '' ? (
        <div class="chips">
          {suggestions.map((path) => (
            <button key={path} type="button" class="small chip" onClick={() => setParameters({ by: path })}>
              {shortPath(path)}
            </button>
          ))}
          {seenPaths.isReading && <span class="hint">Reading properties…</span>}
        </div>
      ) : isUnit(by) ? (
        <Notice kind="error">
          <bdi>{by}</bdi> is a unit of time, not a path. Choose it above the chart.
        </Notice>
      ) : (
        <GroupList alias={alias} asked={asked} by={toPath(by)} />
      )}
    </section>
  );
}
