import { Dialog } from '../parts/dialog.tsx';
import { Check } from '../parts/field.tsx';
import { textOf } from './keys-text.ts';
import { close } from './opened.ts';
import { setSingleKeys, singleKeys } from './setting.ts';
import { SHORTCUTS } from './table.ts';

/** The list of shortcuts, and the switch that turns those of a single key off. */
export function ShortcutsHelp() {
  return (
    <Dialog title="Keyboard shortcuts" onClose={close}>
      <dl class="shortcuts">
        {SHORTCUTS.map((shortcut) => (
          <div key={textOf(shortcut)} class={shortcut.isCommand !== true && !singleKeys.value ? 'off' : ''}>
            <dt>
              <kbd>{textOf(shortcut)}</kbd>
            </dt>
            <dd>{shortcut.text}</dd>
          </div>
        ))}
      </dl>
      <Check checked={singleKeys.value} onChange={() => setSingleKeys(!singleKeys.value)}>
        Single-key shortcuts
        <small>Turn them off if you use speech input. This browser remembers it.</small>
      </Check>
      <p class="hint">
        In a row of events, the arrow keys move from value to value. Shortcuts do nothing while you type.
      </p>
    </Dialog>
  );
}
