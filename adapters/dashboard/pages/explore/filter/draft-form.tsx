import type { FilterEntry } from '../../../../../src/index.ts';
import type { OpenQuestion } from './open-question.ts';
import { NEW_FILTER } from './comparisons.ts';
import { Entry } from './filter-editor.tsx';
import type { SeenPaths } from './seen-paths.ts';

/** A filter that is being edited. */
export interface FilterDraft {
  /** The applied filter of which it is a change, as JSON; undefined for a new one. */
  readonly of: string | undefined;
  readonly entry: FilterEntry;
  /** The filter with which the form began. */
  readonly begun: FilterEntry;
}

interface DraftFormProps {
  readonly draft: FilterDraft;
  readonly asked: OpenQuestion;
  readonly seenPaths: SeenPaths;
  readonly onChange: (entry: FilterEntry) => void;
  readonly onApply: () => void;
  readonly onClose: () => void;
}

/** The form of one filter. Escape closes it. */
export function DraftForm({
  draft: { entry, begun },
  asked,
  seenPaths,
  onChange,
  onApply,
  onClose,
}: DraftFormProps) {
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
      <Entry entry={entry} seenPaths={seenPaths} asked={asked} onChange={onChange} />
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
