import { useLayoutEffect, useRef } from 'preact/hooks';
import { setColumns } from '../address/question.ts';
import { Icon, type IconName } from '../parts/icon.tsx';
import { shortPath } from './event-table.tsx';

interface ChosenProps {
  readonly columns: readonly string[];
  /** Called when the last column is removed, and the focus with it. */
  readonly onEmptied: () => void;
}

/** The chosen columns in their order. Buttons or a drag change it. */
export function ChosenColumns({ columns, onEmptied }: ChosenProps) {
  const list = useRef<HTMLOListElement>(null);
  const dragged = useRef<number>(undefined);
  /** The buttons that get the focus after a change, in order of preference. */
  const focused = useRef<readonly (readonly [row: number, button: number])[]>([]);
  useLayoutEffect(() => {
    for (const [row, button] of focused.current) {
      const found = list.current?.children[row]?.querySelectorAll('button')[button];
      if (found === undefined || found.disabled) continue;
      found.focus();
      break;
    }
    focused.current = [];
  }, [columns]);
  const move = (from: number, to: number) => {
    const moved = columns.toSpliced(from, 1).toSpliced(to, 0, columns[from]!);
    // The row goes on by the same button, or back by the other one where it cannot.
    focused.current =
      to < from
        ? [
            [to, UP],
            [to, DOWN],
          ]
        : [
            [to, DOWN],
            [to, UP],
          ];
    setColumns(moved);
  };
  const remove = (at: number) => {
    focused.current = [[Math.min(at, columns.length - 2), REMOVE]];
    setColumns(columns.toSpliced(at, 1));
    if (columns.length === 1) onEmptied();
  };
  if (columns.length === 0) return null;
  return (
    <ol class="chosen" ref={list} aria-label="Chosen columns">
      {columns.map((column, i) => (
        <li
          key={column}
          draggable
          onDragStart={(event) => {
            dragged.current = i;
            event.dataTransfer?.setData('text/plain', column);
          }}
          onDragOver={(event) => {
            if (dragged.current !== undefined) event.preventDefault();
          }}
          onDrop={(event) => {
            event.preventDefault();
            if (dragged.current !== undefined && dragged.current !== i) move(dragged.current, i);
          }}
          onDragEnd={() => (dragged.current = undefined)}
        >
          <bdi title={column}>{shortPath(column)}</bdi>
          <RowButton icon="up" label={`Move up ${column}`} isOff={i === 0} act={() => move(i, i - 1)} />
          <RowButton
            icon="down"
            label={`Move down ${column}`}
            isOff={i === columns.length - 1}
            act={() => move(i, i + 1)}
          />
          <RowButton icon="close" label={`Remove the column ${column}`} act={() => remove(i)} />
        </li>
      ))}
    </ol>
  );
}

/** The places of the buttons within a row. */
const [UP, DOWN, REMOVE] = [0, 1, 2];

interface RowButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly isOff?: boolean;
  readonly act: () => void;
}

function RowButton({ icon, label, isOff = false, act }: RowButtonProps) {
  return (
    <button type="button" class="ghost tiny" aria-label={label} disabled={isOff} onClick={act}>
      <Icon name={icon} />
    </button>
  );
}
