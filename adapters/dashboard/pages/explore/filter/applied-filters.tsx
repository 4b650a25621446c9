import { useRef, useState } from 'preact/hooks';
import type { FilterEntry } from '../../../../../src/index.ts';
import { place } from '../../address/place.ts';
import { filtersOf, setFilters } from '../../address/question.ts';
import { cut } from '../../address/written.ts';
import { Icon } from '../../parts/icon.tsx';
import { lazy, Loaded } from '../../parts/lazy.tsx';
import { withoutFilter, type OpenQuestion } from './open-question.ts';
import { entryWords, TEXT_LENGTH } from './entry-words.ts';
import { AddFilter, AddGroup } from './add-filter.tsx';
import type { FilterDraft } from './draft-form.tsx';
import type { SeenPaths } from './seen-paths.ts';

/** The form of a filter. It loads when it is first opened, since many people only read. */
const DRAFT_FORM = lazy(async () => (await import('./draft-form.tsx')).DraftForm);

interface AppliedFiltersProps {
  /** The question that the page asks, for whose events values are suggested. */
  readonly asked: OpenQuestion;
  readonly seenPaths: SeenPaths;
  /** Called before the focused element disappears. */
  readonly stay: () => void;
  /** The filters, if they are not those of the address. */
  readonly own?: OwnFilters;
}

/** Filters of something else than the whole question, such as a step. */
export interface OwnFilters {
  readonly label: string;
  readonly filters: readonly FilterEntry[];
  readonly onFilters: (filters: readonly FilterEntry[]) => void;
}

/**
 * The applied filters as chips. One of them, or a new one, is open as a form, and takes effect when it is
 * applied.
 */
export function AppliedFilters({ asked, seenPaths, stay, own }: AppliedFiltersProps) {
  const { parameters } = place.value;
  const filters = own?.filters ?? filtersOf(parameters);
  const change = own?.onFilters ?? setFilters;
  const texts = filters.map((each) => JSON.stringify(each));
  const [draft, setDraft] = useState<FilterDraft>();
  const list = useRef<HTMLUListElement>(null);
  /** Makes each form new, so that none keeps the typed text of another one. */
  const forms = useRef(0);
  const changed = draft && JSON.stringify(draft.entry) !== JSON.stringify(draft.begun) ? draft : undefined;
  const open = (of: string | undefined, entry: FilterEntry) => {
    // Opening another filter applies this one. If it cannot be applied, its field says why.
    if (changed !== undefined) {
      const form = list.current?.parentElement?.querySelector<HTMLFormElement>('form.draft');
      if (form?.reportValidity() === false) return;
      change(filtersWith(changed));
    }
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
    change(filters.toSpliced(i, 1));
  };
  /** The filters with what is typed. */
  const filtersWith = ({ of, entry }: FilterDraft): readonly FilterEntry[] => {
    // The filter may have been removed meanwhile, for instance by the browser's back button.
    const at = of === undefined ? -1 : texts.indexOf(of);
    if (at !== -1) return filters.with(at, entry);
    return texts.includes(JSON.stringify(entry)) ? filters : [...filters, entry];
  };
  const apply = () => {
    if (draft === undefined) return;
    close();
    change(filtersWith(draft));
  };
  return (
    <>
      <ul class="chips applied" aria-label={own?.label ?? 'Applied filters'} ref={list}>
        {filters.map((entry, i) => {
          const edited = draft?.of === texts[i] ? draft : undefined;
          return (
            <Chip
              key={texts[i]}
              entry={edited?.entry ?? entry}
              isOpen={edited !== undefined}
              isUnapplied={edited !== undefined && edited === changed}
              onOpen={() => (edited === undefined ? open(texts[i], entry) : close())}
              onRemove={() => remove(i)}
            />
          );
        })}
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
        <Loaded
          key={forms.current}
          of={DRAFT_FORM}
          isDialog
          props={{
            draft,
            asked: withoutFilter(asked, draft.of),
            seenPaths,
            onChange: (entry: FilterEntry) => setDraft({ ...draft, entry }),
            onApply: apply,
            onClose: close,
          }}
        />
      )}
    </>
  );
}

interface ChipProps {
  readonly entry: FilterEntry;
  readonly isOpen: boolean;
  /** Whether it says what is typed and not applied yet. */
  readonly isUnapplied: boolean;
  readonly onOpen: () => void;
  readonly onRemove: () => void;
}

function Chip({ entry, isOpen, isUnapplied, onOpen, onRemove }: ChipProps) {
  const text = `${entryWords(entry)}${isUnapplied ? ' (not applied yet)' : ''}`;
  const what = 'property' in entry ? `the filter on ${cut(entry.property, TEXT_LENGTH)}` : 'the group';
  return (
    <li class="filter-chip">
      <button
        type="button"
        class={isUnapplied ? 'small chip unapplied' : 'small chip'}
        title={text}
        aria-expanded={isOpen}
        onClick={onOpen}
      >
        <bdi>{text}</bdi>
      </button>
      <button type="button" class="small ghost" aria-label={`Remove ${what}`} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </li>
  );
}
