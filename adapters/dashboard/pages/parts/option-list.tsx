import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { figure } from './figure.ts';

/** How many options are in the document at once. The others are found by typing. */
export const SHOWN_MAX = 100;

interface OptionListProps<T> {
  /** The options that have the typed text, the best first. */
  readonly found: readonly T[];
  readonly isShown: boolean;
  /** What the options are, such as `event names`. */
  readonly words: string;
  /** Whether only options are values. One of them is then always active, and the pointer makes one active. */
  readonly isStrict: boolean;
  readonly take: (option: T) => void;
}

/** A list of options that belongs to a field. The field keeps the focus. */
interface OptionList<T> extends Pick<OptionListProps<T>, 'words' | 'isStrict' | 'take'> {
  readonly id: string;
  readonly shown: readonly T[];
  /** The index of the option that Enter takes; -1 for none. */
  readonly active: number;
  readonly setActive: (at: number) => void;
  readonly point: (at: number) => void;
  /** The attributes of the field. */
  readonly field: object;
  /** Acts on a key that goes through the list or takes an option. Returns whether it was such a key. */
  readonly press: (event: KeyboardEvent) => boolean;
  /** How many options there are, for a screen reader. */
  readonly status: string;
  /** What to know about the list; empty if there is nothing. */
  readonly hint: string;
}

/**
 * A list of options, and its keys: the arrow keys go through it in a ring, and Enter takes an option. Once
 * the user goes through it, Home and End lead to its ends; while they type, to those of the text.
 */
export function useOptionList<T>({
  found,
  isShown,
  words,
  isStrict,
  take,
}: OptionListProps<T>): OptionList<T> {
  const id = useId();
  const [active, setActive] = useState(isStrict ? 0 : -1);
  const [isGoing, setGoing] = useState(false);
  const isPointed = useRef(false);
  const shown = isShown ? found.slice(0, SHOWN_MAX) : [];
  const chosen = shown[active];
  const count = shown.length;
  useLayoutEffect(() => {
    // What the pointer is on can be seen.
    if (active >= 0 && !isPointed.current)
      document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' });
    isPointed.current = false;
  }, [active, isShown]);

  const press = (event: KeyboardEvent): boolean => {
    if (count === 0 || event.isComposing) return false;
    const at = placeAfter(event.key, active, count, isGoing);
    if (at === undefined && (event.key !== 'Enter' || chosen === undefined)) return false;
    event.preventDefault();
    if (at === undefined) take(chosen!);
    else {
      setGoing(true);
      setActive(at);
    }
    return true;
  };
  const countText = count === found.length ? figure(count) : `${figure(count)} of ${figure(found.length)}`;
  return {
    ...{ id, shown, active, words, isStrict, take, press },
    setActive: (at) => {
      setGoing(false);
      setActive(at);
    },
    point: (at) => {
      isPointed.current = at !== active;
      setActive(at);
    },
    field: {
      ...{ type: 'text', role: 'combobox', autocomplete: 'off', spellcheck: false },
      'aria-autocomplete': 'list',
      'aria-expanded': count > 0,
      'aria-controls': count > 0 ? `${id}-list` : undefined,
      'aria-activedescendant': chosen === undefined ? undefined : `${id}-${active}`,
    },
    status: isShown ? `${countText} ${words}` : '',
    hint: hintOf(isShown, count, found.length, countText, words),
  };
}

/** The place to which a key leads; undefined for other keys. Without one, the arrow keys begin at an end. */
function placeAfter(key: string, at: number, count: number, isGoing: boolean): number | undefined {
  if (key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowUp') return at <= 0 ? count - 1 : at - 1;
  if (!isGoing) return undefined;
  return key === 'Home' ? 0 : key === 'End' ? count - 1 : undefined;
}

function hintOf(isShown: boolean, shown: number, found: number, countText: string, words: string): string {
  if (!isShown || shown === found) return isShown && found === 0 ? `No ${words} with this text` : '';
  return `${countText}. Type to find others.`;
}

/** The options of a list. */
export function Options<T>({
  list: { id, shown, active, point, words, isStrict, take },
  keyOf,
  children,
}: {
  readonly list: OptionList<T>;
  readonly keyOf: (option: T) => string;
  readonly children: (option: T) => ComponentChildren;
}) {
  if (shown.length === 0) return null;
  return (
    // A list that scrolls would be a stop of the Tab key.
    <ul role="listbox" id={`${id}-list`} aria-label={words} tabIndex={-1}>
      {shown.map((option, i) => (
        <li
          key={keyOf(option)}
          role="option"
          id={`${id}-${i}`}
          aria-selected={i === active}
          onClick={() => take(option)}
          onMouseMove={isStrict ? () => point(i) : undefined}
        >
          {children(option)}
        </li>
      ))}
    </ul>
  );
}
