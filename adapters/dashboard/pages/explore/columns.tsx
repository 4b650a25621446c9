import { useId, useRef, useState } from 'preact/hooks';
import { lazy, Loaded } from '../parts/lazy.tsx';
import { useLeaving } from '../parts/leaving.ts';
import type { SeenPaths } from './filter/seen-paths.ts';

const MENU = lazy(async () => (await import('./columns-menu.tsx')).ColumnsMenu);

interface ColumnsProps {
  readonly columns: readonly string[];
  readonly seenPaths: SeenPaths;
}

/** The button that opens the menu of columns, and what is wrong with the chosen ones. */
export function Columns({ columns, seenPaths }: ColumnsProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const leaving = useLeaving(isOpen, () => setOpen(false));
  const absences = columns.map(seenPaths.absenceOf).filter((said) => said !== undefined);
  return (
    <div
      class="column-menu"
      {...leaving}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen) return;
        setOpen(false);
        button.current?.focus();
      }}
    >
      {absences.length > 0 && (
        <p class="hint" id={`${id}-absent`}>
          {absences.join(' ')}
        </p>
      )}
      <button
        type="button"
        ref={button}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-describedby={absences.length > 0 ? `${id}-absent` : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        Columns{columns.length > 0 && <span class="tag">{columns.length}</span>}
      </button>
      {isOpen && <Loaded of={MENU} props={{ id, columns, seenPaths }} isDialog />}
    </div>
  );
}
