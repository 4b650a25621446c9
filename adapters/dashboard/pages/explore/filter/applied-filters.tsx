import { useRef, useState } from 'preact/hooks';
import type { CountBody, FilterEntry } from '../../../../../src/index.ts';
import { place } from '../../address/place.ts';
import { bodyOf, filtersOf, setFilters } from '../../address/question.ts';
import { cut } from '../../address/written.ts';
import { Icon } from '../../parts/icon.tsx';
import { choices } from '../../server/choices.ts';
import { chipText, type ChipWords } from './chip-text.ts';
import { NEW_FILTER, signOf } from './comparisons.ts';
import { AddFilter, AddGroup, Entry } from './filter-editor.tsx';
import type { SeenPaths } from './seen-paths.ts';

/** How many characters of a path and of a value a chip shows. */
const TEXT_LENGTH = 240;

const WORDS: ChipWords = {
  said: (name) => signOf(name) ?? choices.value.comparisons.find((each) => each.name === name)?.said ?? name,
  path: (property) => cut(property.replace(/^properties\./, ''), TEXT_LENGTH),
  value: (value) => cut(JSON.stringify(value), TEXT_LENGTH),
};

/** A filter that is being edited. */
interface FilterDraft {
  /** The applied filter of which it is a change, as JSON; undefined for a new one. */
  readonly of: string | undefined;
  readonly entry: FilterEntry;
  /** The filter with which the form began. */
  readonly begun: FilterEntry;
}

interface AppliedFiltersProps {
  readonly seenPaths: SeenPaths;
  /** Called before the focused element disappears. */
  readonly stay: () => void;
}

/**
 * The applied filters as chips. One of them, or a new one, is open as a form, and takes effect when it is
 * applied.
 */
export function AppliedFilters({ seenPaths, stay }: AppliedFiltersProps) {
  const { parameters } = place.value;
  const filters = filtersOf(parameters);
  const texts = filters.map((each) => JSON.stringify(each));
  const [draft, setDraft] = useState<FilterDraft>();
  /** Makes each form new, so that none keeps the typed text of another one. */
  const forms = useRef(0);
  const open = (of: string | undefined, entry: FilterEntry) => {
    forms.current += 1;
    setDraft({ of, entry, begun: entry });
  };
  const close = () => {
    stay();
    setDraft(undefined);
  };
  const remove = (i: number) => {
    stay();
    if (draft?.of === texts[i]) setDraft(undefined);
    setFilters(filters.toSpliced(i, 1));
  };
  const apply = () => {
    if (draft === undefined) return;
    close();
    // The filter may have been removed meanwhile, for instance by the browser's back button.
    const at = draft.of === undefined ? -1 : texts.indexOf(draft.of);
    if (at !== -1) setFilters(filters.with(at, draft.entry));
    else if (!texts.includes(JSON.stringify(draft.entry))) setFilters([...filters, draft.entry]);
  };
  return (
    <>
      <ul class="chips applied" aria-label="Applied filters">
        {filters.map((entry, i) => (
          <Chip
            key={texts[i]}
            entry={entry}
            isOpen={draft?.of === texts[i]}
            onOpen={() => (draft?.of === texts[i] ? close() : open(texts[i], entry))}
            onRemove={() => remove(i)}
          />
        ))}
        {draft === undefined && (
          <>
            <li>
              <AddFilter onAdd={(added) => open(undefined, added)} />
            </li>
            <li>
              <AddGroup onAdd={(added) => open(undefined, added)} />
            </li>
          </>
        )}
      </ul>
      {draft !== undefined && (
        <DraftForm
          key={forms.current}
          draft={draft}
          body={withoutFilter(bodyOf(parameters), texts, draft.of)}
          seenPaths={seenPaths}
          onChange={(entry) => setDraft({ ...draft, entry })}
          onApply={apply}
          onClose={close}
        />
      )}
    </>
  );
}

/** A question without one of its filters. */
function withoutFilter(body: CountBody, texts: readonly string[], of: string | undefined): CountBody {
  const { filterSet = [], ...rest } = body;
  const others = filterSet.filter((_, i) => texts[i] !== of);
  return others.length === 0 ? rest : { ...rest, filterSet: others };
}

interface ChipProps {
  readonly entry: FilterEntry;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
  readonly onRemove: () => void;
}

function Chip({ entry, isOpen, onOpen, onRemove }: ChipProps) {
  const text = chipText(entry, WORDS);
  const what = 'property' in entry ? `the filter on ${cut(entry.property, TEXT_LENGTH)}` : 'the group';
  return (
    <li class="filter-chip">
      <button type="button" class="small chip" title={text} aria-expanded={isOpen} onClick={onOpen}>
        <bdi>{text}</bdi>
      </button>
      <button type="button" class="small ghost" aria-label={`Remove ${what}`} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </li>
  );
}

interface DraftFormProps {
  readonly draft: FilterDraft;
  readonly body: CountBody;
  readonly seenPaths: SeenPaths;
  readonly onChange: (entry: FilterEntry) => void;
  readonly onApply: () => void;
  readonly onClose: () => void;
}

/** The form of one filter. Escape closes it. */
function DraftForm({ draft: { entry, begun }, body, seenPaths, onChange, onApply, onClose }: DraftFormProps) {
  const isNew = entry === NEW_FILTER;
  const isChanged = JSON.stringify(entry) !== JSON.stringify(begun);
  return (
    <form
      class="draft"
      onSubmit={(event) => {
        event.preventDefault();
        onApply();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <Entry entry={entry} seenPaths={seenPaths} body={body} onChange={onChange} />
      <p class="apply">
        <button type="submit" class="primary">
          Apply
        </button>
        <button type="button" onClick={onClose}>
          {isNew || isChanged ? 'Discard' : 'Close'}
        </button>
        <span class="hint">
          {isNew
            ? 'Choose a property and a value.'
            : isChanged && 'Not applied yet. Results, copies and exports do not include it.'}
        </span>
      </p>
    </form>
  );
}
