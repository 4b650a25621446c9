import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { moveNow, place, setParameters } from '../address/place.ts';
import { setQuestion } from '../address/question.ts';
import { Field, Select } from '../parts/field.tsx';
import { ZoneField } from '../parts/zone-field.tsx';
import { NO_RANGE, PRESETS, REFRESHES, toRange } from '../time/asked.ts';
import type { TimeRange } from '../time/unit.ts';
import { textIn, toInstant } from '../time/zone.ts';
import type { AskedQuestion } from './asked-question.ts';
import { PRESET_TEXTS } from './preset-texts.ts';

interface ChoicesProps {
  readonly asked: AskedQuestion;
  readonly close: () => void;
}

/** All that the range of time can be. */
export function TimeChoices({ asked, close }: ChoicesProps) {
  const { preset } = asked;
  const [isOpen, setOpen] = useState(preset === undefined);
  const { parameters } = place.value;
  return (
    <>
      <div class="presets" role="group" aria-label="Time range">
        {PRESETS.map((each) => (
          <button
            key={each}
            type="button"
            class="small"
            aria-pressed={preset === each}
            onClick={() => {
              close();
              moveNow();
              setQuestion({ ...NO_RANGE, range: each });
            }}
          >
            {PRESET_TEXTS[each]}
          </button>
        ))}
        <button
          type="button"
          class={preset === undefined ? 'small chosen' : 'small'}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          Custom…
        </button>
      </div>
      {isOpen && <Custom key={asked.subject} asked={asked} close={close} />}
      <div class="time-line">
        <ZoneField />
        <label class="inline-label">
          <span>Auto-refresh</span>
          <Select
            options={REFRESHES}
            value={parameters.get('every') ?? ''}
            onValue={(each) => setParameters({ every: each }, true)}
          />
        </label>
      </div>
    </>
  );
}

/** The fields of a range: its days, hours and minutes in the zone. */
function Custom({ asked: { range, zone }, close }: ChoicesProps) {
  const texts = [toField(zone, range.from), toField(zone, range.until)] as const;
  const [from, setFrom] = useState(texts[0]);
  const [until, setUntil] = useState(texts[1]);
  const [error, setError] = useState<string>();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current!.querySelector('input')!.focus(), []);
  const id = useId();
  const fields = [
    ['From', from, setFrom],
    ['Until', until, setUntil],
  ] as const;
  const apply = () => {
    const next: TimeRange = {
      // A field that was not changed keeps its seconds.
      from: from === texts[0] ? range.from : fromField(zone, from, -Infinity),
      until: until === texts[1] ? range.until : fromField(zone, until, Infinity),
    };
    if (next.until <= next.from) return setError('“Until” must be after “From”.');
    close();
    setQuestion(toRange(next));
  };
  return (
    <form
      class="custom-time"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      {fields.map(([label, value, set]) => (
        <Field key={label} label={`${label} (${zone})`}>
          {(ids) => (
            <input
              {...ids}
              type="datetime-local"
              max="9999-12-31T23:59"
              aria-invalid={error !== undefined}
              aria-describedby={`${id}-hint`}
              value={value}
              onInput={(e) => set(e.currentTarget.value)}
            />
          )}
        </Field>
      ))}
      <button type="submit" class="primary">
        Apply
      </button>
      <button
        type="button"
        onClick={() => {
          close();
          setQuestion({ ...NO_RANGE, range: 'all' });
        }}
      >
        Clear
      </button>
      <p class="hint" id={`${id}-hint`} role={error === undefined ? undefined : 'alert'}>
        {error ?? '“Until” is not included. An empty field leaves that end open.'}
      </p>
    </form>
  );
}

const toField = (zone: string, ms: number) => (Number.isFinite(ms) ? textIn(zone, ms).replace(' ', 'T') : '');
const fromField = (zone: string, text: string, open: number) =>
  text === '' ? open : toInstant(zone, Date.parse(`${text}Z`));
