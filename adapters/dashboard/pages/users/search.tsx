import { useState } from 'preact/hooks';
import { toPath } from '../address/paths.ts';
import { setQuestion } from '../address/question.ts';
import { SEARCH_LENGTH_MAX } from '../address/user-orders.ts';
import { PathField } from '../explore/filter/path-field.tsx';
import type { SeenPaths } from '../explore/filter/seen-paths.ts';
import { Field, TextField } from '../parts/field.tsx';
import { USER_ID, type ListedUsers } from './question.ts';

/** How many digits a number has at most. */
const LEAST_LENGTH_MAX = 9;

/** A search for users by a part of their ID or of another value, and by how many events they have. */
export function UserSearch({
  asked: { search, path, least, sequence },
  seenPaths,
}: {
  readonly asked: ListedUsers;
  readonly seenPaths: SeenPaths;
}) {
  const [typed, setTyped] = useState(search);
  const [typedPath, setTypedPath] = useState(path);
  const [typedLeast, setTypedLeast] = useState(least > 1 ? String(least) : '');
  const submit = () => {
    const asked = toPath(typedPath);
    setQuestion({
      search: typed,
      in: typed === '' || asked === USER_ID ? '' : asked,
      least: Number(typedLeast) > 1 ? typedLeast : '',
    });
  };
  return (
    <form
      class="row user-search"
      role="search"
      aria-label="Users"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <TextField
        label="Search"
        type="search"
        maxLength={SEARCH_LENGTH_MAX}
        autocomplete="off"
        spellcheck={false}
        placeholder="part of a value"
        value={typed}
        onValue={setTyped}
      />
      <Field label="In">
        {(ids) => (
          <PathField
            {...ids}
            seenPaths={seenPaths}
            placeholder="userId"
            value={typedPath}
            onType={setTypedPath}
            onCommit={(chosen) => setTypedPath(chosen === '' ? USER_ID : chosen)}
          />
        )}
      </Field>
      {sequence === undefined && (
        <TextField
          label="Events at least"
          inputMode="numeric"
          pattern="[0-9]*"
          maxLength={LEAST_LENGTH_MAX}
          autocomplete="off"
          placeholder="1"
          value={typedLeast}
          onValue={setTypedLeast}
        />
      )}
      <button type="submit">Search</button>
    </form>
  );
}
