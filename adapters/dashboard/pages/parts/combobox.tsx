import type { TargetedKeyboardEvent } from 'preact';
import { useId, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { figure } from './figure.ts';

/** A value that a combobox offers. */
export interface ComboboxOption {
  readonly value: string;
  /** What stands for the value; absent where that is the value itself. */
  readonly text?: string;
  /** A text beside it, such as its types. */
  readonly note?: string;
}

/** How many options are in the document at once. The others are found by typing. */
const SHOWN_MAX = 100;

interface ComboboxProps {
  readonly id?: string;
  readonly 'aria-label'?: string;
  readonly 'aria-describedby'?: string | undefined;
  readonly placeholder?: string;
  readonly required?: boolean;
  readonly value: string;
  readonly options: readonly ComboboxOption[];
  /** What the options are, such as `event names`. */
  readonly optionWords: string;
  /** Takes a chosen option, or a typed text once the user is done with it. */
  readonly onCommit: (value: string) => void;
  /** Takes a text as it is typed. Without it, only options are values. */
  readonly onType?: (text: string) => void;
  /** The value that a typed text means. */
  readonly meaningOf?: (text: string) => string;
}

/**
 * A field that offers values, of which there may be thousands. The user types a part of one, goes through
 * those that have it by the arrow keys, and takes one by Enter or a click; Escape closes the list.
 */
export function Combobox({
  value,
  options,
  optionWords,
  onCommit,
  onType,
  meaningOf = (text) => text,
  ...input
}: ComboboxProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  /** The text that was typed since the last value; undefined for none. */
  const [typed, setTyped] = useState<string>();
  const [active, setActive] = useState(-1);
  const isFree = onType !== undefined;
  const found = useMemo(() => (isOpen ? matching(options, typed ?? '') : []), [isOpen, options, typed]);
  // A list of nothing but the typed value would cover what comes next.
  const isSaid = typed !== undefined && found.length === 1 && found[0]!.value === meaningOf(typed);
  const isShown = isOpen && !(isFree && (found.length === 0 || isSaid));
  const shown = isShown ? found.slice(0, SHOWN_MAX) : [];
  const chosen = shown[active];
  useLayoutEffect(() => {
    if (active >= 0) document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [active, isShown]);

  const close = () => {
    setOpen(false);
    setTyped(undefined);
    setActive(-1);
  };
  const open = (fallback = -1) => {
    const at = options.slice(0, SHOWN_MAX).findIndex((each) => each.value === value);
    setOpen(true);
    setActive(at === -1 ? fallback : at);
  };
  const take = (option: ComboboxOption) => {
    close();
    if (isFree || option.value !== value) onCommit(option.value);
  };
  /** Leaves the field: a typed text is the value where any text is one. */
  const leave = () => {
    close();
    if (isFree && typed !== undefined) onCommit(meaningOf(typed));
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    const { key } = event;
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault();
      if (!isShown) open(0);
      else if (shown.length > 0) setActive(next(active, key === 'ArrowDown' ? 1 : -1, shown.length));
    } else if (key === 'Enter') {
      // A form is sent by the Enter that takes no option.
      if (isShown && (chosen !== undefined || !isFree)) event.preventDefault();
      if (chosen !== undefined) take(chosen);
      else if (isFree) leave();
    } else if (key === 'Escape' && isShown) {
      // What is around the field, such as a form, stays open.
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
      if (!isFree) setTyped(undefined);
    }
  };
  return (
    <div class={isFree ? 'combobox' : 'combobox strict'}>
      <input
        type="text"
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        {...input}
        aria-expanded={isShown}
        aria-controls={isShown ? `${id}-list` : undefined}
        aria-autocomplete="list"
        aria-activedescendant={chosen === undefined ? undefined : `${id}-${active}`}
        value={isFree ? value : (typed ?? textOf(options, value))}
        onInput={({ currentTarget }) => {
          setOpen(true);
          setTyped(currentTarget.value);
          setActive(isFree ? -1 : 0);
          onType?.(currentTarget.value);
        }}
        onClick={({ currentTarget }) => {
          if (isOpen) return;
          open();
          if (!isFree) currentTarget.select();
        }}
        onBlur={leave}
        onKeyDown={onKeyDown}
      />
      <span class="hidden" role="status">
        {isShown && `${countText(shown.length, found.length)} ${optionWords}`}
      </span>
      {isShown && (
        // The field keeps the focus while the pointer is in the list.
        <div class="options" onMouseDown={(event) => event.preventDefault()}>
          {/* A list that scrolls would be a stop of the Tab key. */}
          <ul role="listbox" id={`${id}-list`} aria-label={optionWords} tabIndex={-1}>
            {shown.map((option, i) => (
              <li
                key={option.value}
                role="option"
                id={`${id}-${i}`}
                aria-selected={i === active}
                onClick={() => take(option)}
              >
                <bdi title={option.text ?? option.value}>{option.text ?? option.value}</bdi>
                {option.note !== undefined && <span class="muted">{option.note}</span>}
              </li>
            ))}
          </ul>
          {found.length === 0 && <p class="hint">No {optionWords} with this text</p>}
          {found.length > shown.length && (
            <p class="hint">{countText(shown.length, found.length)}. Type to find others.</p>
          )}
        </div>
      )}
    </div>
  );
}

/** The place after or before another one in a ring; the first or the last one if there is none yet. */
function next(at: number, step: 1 | -1, length: number): number {
  return at === -1 && step === -1 ? length - 1 : (at + step + length) % length;
}

const countText = (shown: number, found: number) =>
  shown === found ? figure(found) : `${figure(shown)} of ${figure(found)}`;

const textOf = (options: readonly ComboboxOption[], value: string) =>
  options.find((each) => each.value === value)?.text ?? value;

/** The options that have a text, in any case. Those with a part that begins with it come first. */
function matching(options: readonly ComboboxOption[], search: string): readonly ComboboxOption[] {
  const text = search.trim().toLowerCase();
  if (text === '') return options;
  const near: ComboboxOption[] = [];
  const far: ComboboxOption[] = [];
  for (const option of options) {
    const whole = (option.text ?? option.value).toLowerCase();
    if (whole.startsWith(text) || whole.includes(`.${text}`)) near.push(option);
    else if (whole.includes(text)) far.push(option);
  }
  return [...near, ...far];
}
