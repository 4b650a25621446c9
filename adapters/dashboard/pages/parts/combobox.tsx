import type { TargetedKeyboardEvent } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Options, SHOWN_MAX, useOptionList } from './option-list.tsx';
import { offerFor } from './offer.ts';
import { search } from './search.ts';

/** A value that a combobox offers. */
export interface ComboboxOption {
  readonly value: string;
  /** What stands for the value; absent where that is the value itself. */
  readonly text?: string;
  /** A second text next to the option, such as the types of a path. */
  readonly note?: string;
  /** Another name, by which the option is found as well. */
  readonly also?: string;
}

/** What a field with options takes. */
export interface ComboboxProps {
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
  /** What is still to come of the options, in words. */
  readonly pending?: string | undefined;
  /** Goes on from the field once Enter has taken a value, instead of sending its form. */
  readonly onEnter?: (() => void) | undefined;
}

/**
 * A field that offers values, of which there may be thousands. The user types a part of one, goes through
 * those that have it by the arrow keys, and takes the marked one by Enter, Tab or a click; Escape closes the
 * list, and Enter then takes the text as it was typed, where any text is a value.
 */
export function Combobox({
  value,
  options,
  optionWords,
  onCommit,
  onType,
  meaningOf = (text) => text,
  onEnter,
  pending,
  ...input
}: ComboboxProps) {
  const [isOpen, setOpen] = useState(false);
  /** The text that was typed since the last value; undefined for none. */
  const [typed, setTyped] = useState<string>();
  /**
   * The typed text that is still to be taken. A field that goes from the page loses the focus, too, before it
   * is drawn again: it takes nothing twice, and nothing for the page that comes next.
   */
  const due = useRef<string | undefined>(undefined);
  useLayoutEffect(() => () => void (due.current = undefined), []);
  /** Whether Enter takes the first option that has the typed text once the options are known. */
  const isEntered = useRef(false);
  const isFree = onType !== undefined;
  const found = useMemo(
    () => (isOpen ? search(options, typed ?? '', textsOf) : []),
    [isOpen, options, typed],
  );
  // A list of nothing but the typed value would cover what comes next.
  const isSaid = typed !== undefined && found.length === 1 && found[0]!.value === meaningOf(typed);
  const isShown = isOpen && !(isFree && ((found.length === 0 && pending === undefined) || isSaid));
  const take = (option: ComboboxOption) => {
    close();
    if (isFree || option.value !== value) onCommit(option.value);
  };
  const list = useOptionList({ found, isShown, words: optionWords, isStrict: !isFree, take });
  const hint = pending ?? list.hint;
  useLayoutEffect(() => {
    if (isEntered.current && found.length > 0) take(found[0]!);
  }, [pending]);

  const close = () => {
    due.current = undefined;
    isEntered.current = false;
    setOpen(false);
    setTyped(undefined);
    list.setActive(-1);
  };
  const open = (fallback = -1) => {
    const at = options.slice(0, SHOWN_MAX).findIndex((each) => each.value === value);
    setOpen(true);
    list.setActive(at === -1 ? fallback : at);
  };
  /** Leaves the field: a typed text is the value where any text is one. */
  const leave = () => {
    const text = due.current;
    close();
    if (isFree && text !== undefined) onCommit(meaningOf(text));
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLInputElement>) => {
    const { key } = event;
    isEntered.current = key === 'Enter' && !isFree && typed !== undefined && pending !== undefined;
    if (isEntered.current) event.preventDefault();
    else if (list.press(event)) {
      if (key === 'Enter') onEnter?.();
      return;
    }
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault();
      if (!isShown) open(0);
    } else if (key === 'Enter') {
      // A form is sent by the Enter that takes no option.
      if (isShown && !isFree) event.preventDefault();
      if (isFree) leave();
      if (onEnter !== undefined && value !== '') {
        event.preventDefault();
        onEnter();
      }
    } else if (key === 'Tab' && isFree && typed !== undefined) {
      const marked = list.shown[list.active];
      if (marked !== undefined) take(marked);
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
        {...list.field}
        {...input}
        value={isFree ? value : (typed ?? textOf(options, value))}
        onInput={({ currentTarget }) => {
          const text = currentTarget.value;
          due.current = text;
          setOpen(true);
          setTyped(text);
          list.setActive(isFree ? offerFor(text, search(options, text, textsOf), meaningOf) : 0);
          onType?.(text);
        }}
        onClick={({ currentTarget }) => {
          if (isOpen) return;
          open();
          currentTarget.select();
        }}
        onBlur={leave}
        onKeyDown={onKeyDown}
      />
      <span class="hidden" role="status">
        {list.status}
      </span>
      {isShown && (
        // The field keeps the focus while the pointer is in the list.
        <div class="options" onMouseDown={(event) => event.preventDefault()}>
          <Options list={list} keyOf={({ value: each }) => each}>
            {({ value: each, text = each, note }) => (
              <>
                <bdi title={text}>{text}</bdi>
                {note !== undefined && <span class="muted">{note}</span>}
              </>
            )}
          </Options>
          {hint !== '' && <p class="hint">{hint}</p>}
        </div>
      )}
    </div>
  );
}

const textOf = (options: readonly ComboboxOption[], value: string) =>
  options.find((each) => each.value === value)?.text ?? value;

const textsOf = ({ value, text = value, also }: ComboboxOption) =>
  also === undefined ? [text] : [text, also];
