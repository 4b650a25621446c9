import { useState } from 'preact/hooks';
import type { Scalar } from '../../../../../src/store-kit.ts';
import { Select } from '../../parts/field.tsx';
import type { Type } from './value-type.ts';

const TRUTHS = [
  ['true', 'true'],
  ['false', 'false'],
] as const;

/** A scalar as the user types it; empty for any other value. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}

/** Reads typed text as a value of a type. A text that is no number stays a text, and cannot be applied. */
export function toScalar(type: Type, text: string): Scalar {
  if (type === 'boolean') return text === 'true';
  if (type === 'empty') return '';
  return type === 'number' && text.trim() !== '' && problemOf(type, text) === '' ? Number(text) : text;
}

/** Why a line is not a value of a type; empty if it is one. */
function problemOf(type: Type, line: string): string {
  if (type === 'boolean')
    return TRUTHS.some(([truth]) => truth === line) ? '' : `${line} is not true or false.`;
  if (type !== 'number' || line.trim() === '') return '';
  const number = Number(line);
  if (!/^\s*[-+]?[\d.]/.test(line) || !Number.isFinite(number)) return `${line} is not a number.`;
  const isWhole = /^\s*[-+]?\d+\s*$/.test(line);
  return isWhole && BigInt(line.replace('+', '')) !== BigInt(number)
    ? `Numbers of this size are not exact. The nearest to ${line} is ${BigInt(number)}.`
    : '';
}

interface ValueProps {
  /** The kind of operand that the comparison takes. */
  readonly takes: string;
  readonly type: Type;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
}

/** The field for the value or the values of a comparison. */
export function Value({ takes, type, value, onChange }: ValueProps) {
  const isList = takes === 'list';
  const linesOf = (text: string) => (isList ? text.split('\n').filter((line) => line !== '') : [text]);
  const read = (text: string) => {
    const scalars = linesOf(text).map((line) => toScalar(type, line));
    return isList ? scalars : scalars[0];
  };
  const [typed, setTyped] = useState('');
  // The field keeps the typed text, such as 4.0, while that still means the value.
  const isTyped = JSON.stringify(read(typed)) === JSON.stringify(value);
  const text = isTyped ? typed : Array.isArray(value) ? value.join('\n') : textOf(value);
  if (type === 'boolean' && !isList) {
    return (
      <Select
        class="value"
        aria-label="Value"
        options={TRUTHS}
        value={value === true ? 'true' : 'false'}
        onValue={(truth) => onChange(truth === 'true')}
      />
    );
  }
  const problem = linesOf(text).map((line) => problemOf(type, line));
  const field = {
    class: 'value',
    value: text,
    ref: (found: HTMLInputElement | HTMLTextAreaElement | null) =>
      found?.setCustomValidity(problem.find((each) => each !== '') ?? ''),
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => {
      setTyped(currentTarget.value);
      onChange(read(currentTarget.value));
    },
  };
  if (isList) {
    return (
      <textarea {...field} rows={3} required aria-label="Values, one per line" placeholder="one per line" />
    );
  }
  const asNumber = type === 'number' ? ({ inputMode: 'decimal' } as const) : {};
  return <input {...field} required aria-label="Value" autocomplete="off" {...asNumber} />;
}
