import { signal } from '@preact/signals';

/** What was typed into forms and not saved, by form and field. Who leaves the page finds it again. */
const typed = signal<ReadonlyMap<string, string>>(new Map());

/** A value of a field, and the function that sets it. */
type FieldState<T extends string> = readonly [value: T, set: (value: T) => void];

/** The fields of a form: what was typed, or else what is saved. */
export const fieldsOf =
  (form: string) =>
  <T extends string>(name: string, saved: T): FieldState<T> => {
    const key = `${form}/${name}`;
    return [
      (typed.value.get(key) as T | undefined) ?? saved,
      (value) => void (typed.value = new Map(typed.peek()).set(key, value)),
    ];
  };

/** Forgets what was typed into a form. */
export function forgetTyped(form: string): void {
  typed.value = new Map([...typed.peek()].filter(([key]) => !key.startsWith(`${form}/`)));
}
