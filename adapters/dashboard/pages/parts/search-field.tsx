import type { Ref } from 'preact';

interface SearchFieldProps {
  /** What is searched, which the empty field shows; its name where that is another. */
  readonly placeholder: string;
  readonly label?: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
  readonly inputRef?: Ref<HTMLInputElement>;
}

/** A field whose text is searched for while it is typed. */
export function SearchField({
  placeholder,
  label = placeholder,
  value,
  onValue,
  inputRef,
}: SearchFieldProps) {
  return (
    <input
      type="search"
      {...(inputRef === undefined ? {} : { ref: inputRef })}
      aria-label={label}
      placeholder={placeholder}
      autocomplete="off"
      spellcheck={false}
      value={value}
      onInput={({ currentTarget }) => onValue(currentTarget.value)}
    />
  );
}
