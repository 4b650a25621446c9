import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks';
import { moveNow, now, place, refresh, setParameters } from '../address/place.ts';
import { Combobox } from '../parts/combobox.tsx';
import { Field, Select } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { NO_RANGE, PRESET_WORDS, PRESETS, REFRESHES, saysTime, toRange, type Preset } from '../time/asked.ts';
import type { TimeRange } from '../time/unit.ts';
import { textIn, toInstant, UTC } from '../time/zone.ts';
import { setQuestion } from '../address/question.ts';
import { isQuiet } from '../server/loading.ts';
import type { AskedQuestion } from './asked-question.ts';

const TEXTS: Readonly<Record<Preset, string>> = {
  '15m': '15 min',
  '1h': '1 h',
  today: 'Today',
  '24h': '24 h',
  '7d': '7 d',
  '30d': '30 d',
  all: 'All',
};

/** The range of time, its zone, and how often it is asked for again. */
export function TimeControl({ asked }: { readonly asked: AskedQuestion }) {
  const { preset, zone } = asked;
  const { parameters } = place.value;
  const [isOpen, setOpen] = useState(false);
  const choose = (each: Preset) => {
    setOpen(false);
    moveNow();
    setQuestion({ ...NO_RANGE, range: each });
  };
  return (
    <section class="time-control" aria-label="Time">
      <div class="time-line">
        <div class="presets" role="group" aria-label="Time range">
          {PRESETS.map((each) => (
            <button
              key={each}
              type="button"
              class="small"
              aria-pressed={preset === each}
              onClick={() => choose(each)}
            >
              {TEXTS[each]}
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
        <Zone zone={zone} />
        <Refresh since={asked.since} zone={zone} />
      </div>
      <p class="hint" aria-live="polite">
        {shownText(asked, saysTime(parameters))}
      </p>
      {isOpen && <Custom key={asked.subject} asked={asked} close={() => setOpen(false)} />}
    </section>
  );
}

/** What is shown, in words. */
function shownText({ preset, range, zone, since }: AskedQuestion, isSaid: boolean): string {
  const first = (latest: string) => (isSaid ? '' : latest);
  if (preset === 'all') {
    return `Showing all time${first(', because the last 30 days have no events')}.`;
  }
  const from = endText(zone, range.from, 'the first event');
  const until = endText(zone, range.until, 'the last event');
  if (preset === undefined) return `Showing ${from} to ${until} (${zone}).`;
  const latest = first(', the latest with events');
  return `Showing ${PRESET_WORDS[preset]}${latest}: ${from} to ${textIn(zone, since)} (${zone}).`;
}

const endText = (zone: string, ms: number, open: string) => (Number.isFinite(ms) ? textIn(zone, ms) : open);

/** The zone of days and times. The list begins with UTC, that of the browser and the one in the address. */
function Zone({ zone }: { readonly zone: string }) {
  const id = useId();
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const [isOpen, setOpen] = useState(false);
  // The browser takes some milliseconds to list its zones, so it does that when the field gets the focus.
  const others = useMemo(() => (isOpen ? Intl.supportedValuesOf('timeZone') : []), [isOpen]);
  const options = useMemo(
    () =>
      [...new Set([UTC, own, zone, ...others])].map((value) => ({
        value,
        ...(value === own && value !== UTC ? { note: 'browser' } : {}),
      })),
    [own, zone, others],
  );
  return (
    <div class="inline-label" onFocusIn={() => setOpen(true)}>
      <label for={id}>Time zone</label>
      <Combobox
        id={id}
        value={zone}
        options={options}
        optionWords="time zones"
        onCommit={(each) => setQuestion({ zone: each === UTC ? '' : each, at: '' })}
      />
    </div>
  );
}

/** The fields of a range: its days, hours and minutes in the zone. */
function Custom({
  asked: { range, zone },
  close,
}: {
  readonly asked: AskedQuestion;
  readonly close: () => void;
}) {
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

/** Asks again now, or by itself every few seconds. */
function Refresh({ since, zone }: { readonly since: number; readonly zone: string }) {
  const { parameters } = place.value;
  const every = parameters.get('every') ?? '';
  const isPaging = parameters.has('cursor');
  useEffect(() => {
    if (every === '' || isPaging) return;
    // A hidden window asks nothing, and catches up when it is seen again.
    // An answer that takes longer than the pause is not asked for again before it has arrived.
    const isDue = () => !document.hidden && isQuiet.peek() && Date.now() - now.peek() >= Number(every) * 1000;
    const look = () => {
      if (isDue()) refresh();
    };
    const timer = setInterval(look, 1000);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [every, isPaging]);
  return (
    <div class="refresh">
      <span class="hint">
        As of <span class="as-of">{textIn(zone, since, 19).slice(11)}</span>
      </span>
      <button type="button" class="small" onClick={refresh}>
        <Icon name="refresh" /> Refresh
      </button>
      <label class="inline-label">
        <span>Auto-refresh</span>
        <Select options={REFRESHES} value={every} onValue={(each) => setParameters({ every: each }, true)} />
      </label>
      {every !== '' && isPaging && <span class="hint">Paused until you are on the first page.</span>}
    </div>
  );
}
