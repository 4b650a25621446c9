import { useState } from 'preact/hooks';
import type { CountBody, ErasureReceipt } from '../../../../src/index.ts';
import { seen } from '../address/written.ts';
import { hasValue } from '../explore/filter/comparisons.ts';
import { FormDialog } from '../parts/dialog.tsx';
import { Erased, EraseEvents } from '../parts/erase-events.tsx';
import { DayFields, TextField } from '../parts/field.tsx';

/** The filter of the form. An empty field matches any event. */
interface Choice {
  readonly user: string;
  readonly event: string;
  readonly after: string;
  readonly before: string;
}

const NOTHING: Choice = { user: '', event: '', after: '', before: '' };

/** The section that erases events of a tenant: of a user, of a name, or of a range of days. */
export function EraseSection({ alias }: { readonly alias: string }) {
  const [step, setStep] = useState<'choose' | 'confirm'>();
  const [choice, setChoice] = useState(NOTHING);
  const [erased, setErased] = useState<ErasureReceipt>();
  const close = () => setStep(undefined);
  return (
    <section class="card settings" aria-labelledby="erase">
      <header>
        <h2 id="erase">Erase events</h2>
        <p class="hint">
          Of a user, of a name, or of a range of days. They disappear from all answers at once, for good.
        </p>
      </header>
      {erased !== undefined && <Erased receipt={erased} />}
      <p>
        <button
          type="button"
          class="danger"
          onClick={() => {
            setChoice(NOTHING);
            setStep('choose');
          }}
        >
          Erase events…
        </button>
      </p>
      {step === 'choose' && (
        <Choose
          alias={alias}
          choice={choice}
          setChoice={setChoice}
          onClose={close}
          onDone={() => setStep('confirm')}
        />
      )}
      {step === 'confirm' && (
        <EraseEvents
          title="Erase these events?"
          alias={alias}
          body={toBody(choice)}
          onClose={close}
          onDone={(receipt) => {
            close();
            setErased(receipt);
          }}
        >
          <Words choice={choice} />
        </EraseEvents>
      )}
    </section>
  );
}

interface ChooseProps {
  readonly alias: string;
  readonly choice: Choice;
  readonly setChoice: (choice: Choice) => void;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** The dialog that chooses the events. It erases nothing. */
function Choose({ alias, choice, setChoice, onClose, onDone }: ChooseProps) {
  const field = (name: keyof Choice) => ({
    value: choice[name],
    onValue: (value: string) => setChoice({ ...choice, [name]: value }),
  });
  return (
    <FormDialog
      title={`Erase events of ${alias}`}
      act="Continue"
      isUnready={Object.values(choice).every((text) => text === '')}
      send={() => Promise.resolve()}
      onClose={onClose}
      onDone={onDone}
    >
      <p class="hint">Events must match all of these. The next step says how many there are.</p>
      <TextField label="User ID" autoFocus autocomplete="off" maxLength={256} {...field('user')} />
      <TextField label="Event name" autocomplete="off" maxLength={256} {...field('event')} />
      <div class="pair">
        <DayFields field={field} />
      </div>
    </FormDialog>
  );
}

function toBody({ user, ...others }: Choice): CountBody {
  const given = Object.entries(others).filter(([, text]) => text !== '');
  return {
    ...Object.fromEntries(given),
    ...(user === '' ? {} : { filterSet: [hasValue('userId', user, false)] }),
  };
}

/** The choice in words, after the number of events. */
function Words({ choice: { user, event, after, before } }: { readonly choice: Choice }) {
  return (
    <>
      {event !== '' && (
        <>
          named <bdi class="strong">{seen(event)}</bdi>{' '}
        </>
      )}
      {user !== '' && (
        <>
          of <bdi class="strong">{seen(user)}</bdi>{' '}
        </>
      )}
      {after !== '' && `from ${after} `}
      {before !== '' && `up to ${before}, included,`}
    </>
  );
}
