import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { useLeaving } from './leaving.ts';

interface PopoverProps {
  /** What the button shows. */
  readonly text: ComponentChildren;
  /** The name of the button and of the panel; the button's text where it is absent. */
  readonly label: string;
  /** Whether what goes on in the panel, such as an export, goes on while it is closed. */
  readonly keeps?: boolean;
  /** What belongs in the panel; `close` closes it. */
  readonly children: (close: () => void) => ComponentChildren;
}

/** A button that opens a panel below it. Escape, and a step or a click out of it, close the panel. */
export function Popover({ text, label, keeps = false, children }: PopoverProps) {
  const [isOpen, setOpen] = useState(false);
  const wasOpen = useRef(false);
  if (isOpen) wasOpen.current = true;
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const leaving = useLeaving(isOpen, () => setOpen(false));
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div
      class="popover"
      {...leaving}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isOpen || event.defaultPrevented) return;
        close();
      }}
    >
      <button
        type="button"
        ref={button}
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {text} <span aria-hidden="true">▾</span>
      </button>
      {(isOpen || (keeps && wasOpen.current)) && (
        // A click between its parts gives it the focus, which would otherwise leave and so close it.
        <div class="popover-panel" id={id} role="group" aria-label={label} tabIndex={-1} hidden={!isOpen}>
          {children(close)}
        </div>
      )}
    </div>
  );
}
