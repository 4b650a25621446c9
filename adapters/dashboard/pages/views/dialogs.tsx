import { useState } from 'preact/hooks';
import type { ViewAnswer } from '../../../../src/admin-api.ts';
import { seen } from '../address/written.ts';
import { FormDialog } from '../parts/dialog.tsx';
import { TextField } from '../parts/field.tsx';
import { ask } from '../server/api.ts';
import { questionNow } from './question.ts';

interface ViewDialogProps {
  readonly alias: string;
  readonly view: ViewAnswer;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** The dialog that gives a view another name. */
export function RenameView({ alias, view: { id, name: before }, ...dialog }: ViewDialogProps) {
  const [name, setName] = useState(before);
  return (
    <FormDialog
      {...dialog}
      title={`Rename ${seen(before)}`}
      act="Rename"
      send={() => ask(`views/change/${alias}`, { id, name })}
    >
      <TextField label="Name" required autoFocus maxLength={256} value={name} onValue={setName} />
    </FormDialog>
  );
}

/** The dialog that gives a view the question of the page. */
export function UpdateView({ alias, view: { id, name, isShared }, ...dialog }: ViewDialogProps) {
  return (
    <FormDialog
      {...dialog}
      title={`Update ${seen(name)}?`}
      act="Update"
      isQuestion
      send={() => ask(`views/change/${alias}`, { id, question: questionNow() })}
    >
      <p>Its question becomes the one on this page{isShared ? `, for everyone who can see ${alias}` : ''}.</p>
    </FormDialog>
  );
}

/** The dialog that deletes a view. */
export function DeleteView({ alias, view: { id, name, isShared }, ...dialog }: ViewDialogProps) {
  return (
    <FormDialog
      {...dialog}
      title={`Delete ${seen(name)}?`}
      act="Delete"
      isDangerous
      isQuestion
      send={() => ask(`views/delete/${alias}`, { id })}
    >
      <p>{isShared ? `Everyone who can see ${alias} loses it. ` : ''}The events stay.</p>
    </FormDialog>
  );
}
