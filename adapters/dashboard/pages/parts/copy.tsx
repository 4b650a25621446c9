import { useEffect, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

interface CopyProps {
  readonly text: string;
  readonly label: string;
  /** Whether the label is for screen readers only, because the copied text is next to the button. */
  readonly isBrief?: boolean;
  /** Whether it is a button of a page, which shows its label. */
  readonly isLarge?: boolean;
}

/** A button that copies a text. Without access to the clipboard, it shows the text for the user to select. */
export function Copy({ text, label, isBrief = false, isLarge = false }: CopyProps) {
  const [state, setState] = useState<'idle' | 'done' | 'failed'>('idle');
  useEffect(() => {
    if (state !== 'done') return;
    const timer = setTimeout(() => setState('idle'), 1500);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setState('done'),
      () => setState('failed'),
    );
  const said = state === 'done' ? 'Copied' : label;
  return (
    <span class="copy">
      <button
        type="button"
        class={isBrief ? 'ghost tiny' : isLarge ? '' : 'small'}
        aria-label={said}
        title={said}
        onClick={copy}
      >
        <Icon name={state === 'done' ? 'done' : 'copy'} />
        {!isBrief && (state === 'done' ? 'Copied' : isLarge ? label : 'Copy')}
      </button>
      <span class="hidden" role="status">
        {state === 'done' && 'Copied'}
      </span>
      {state === 'failed' && (
        <textarea class="selectable" readOnly rows={4} aria-label={label} value={text} />
      )}
    </span>
  );
}

/** A block of code with its label above and a button that copies it. */
export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div class="code">
      <header>
        <span>{label}</span>
        <Copy key={text} text={text} label={`Copy ${label}`} />
      </header>
      <pre tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
    </div>
  );
}
