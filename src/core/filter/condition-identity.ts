import type { Condition, Operand } from './condition.ts';
import type { Path } from './path.ts';

/** What a cache knows of a condition before it compares it: gathered in one walk, without any new text. */
export interface Sketch {
  /** Equal conditions have equal hashes. It samples texts, so that unequal ones may have them too. */
  hash: number;
  /** Roughly how many bytes the condition takes. */
  bytes: number;
}

/**
 * Sketches a condition. A text such as its stable JSON would be the simpler key, but writing that takes four
 * times as long as parsing the body that the condition came from.
 */
export function sketchCondition(condition: Condition): Sketch {
  const sketch: Sketch = { hash: 17, bytes: 0 };
  addCondition(sketch, condition);
  return sketch;
}

function addNumber(sketch: Sketch, value: number): void {
  sketch.hash = Math.imul(sketch.hash ^ value, 0x01000193) ^ (sketch.hash >>> 15);
  sketch.bytes += 8;
}

function addText(sketch: Sketch, text: string): void {
  const { length } = text;
  addNumber(sketch, length);
  if (length === 0) return;
  addNumber(
    sketch,
    text.charCodeAt(0) + text.charCodeAt(length >> 1) * 31 + text.charCodeAt(length - 1) * 961,
  );
  sketch.bytes += length;
}

function addCondition(sketch: Sketch, condition: Condition): void {
  addNumber(sketch, condition.kind.charCodeAt(1));
  switch (condition.kind) {
    case 'all':
    case 'any':
      addNumber(sketch, condition.of.length);
      for (const part of condition.of) addCondition(sketch, part);
      return;
    case 'not':
      return addCondition(sketch, condition.of);
    case 'test':
      addText(sketch, condition.operator);
      addText(sketch, condition.path.root);
      for (const segment of condition.path.segments) addText(sketch, segment);
      addOperand(sketch, condition.operand);
  }
}

function addOperand(sketch: Sketch, operand: Operand): void {
  if (typeof operand === 'string') addText(sketch, operand);
  else if (typeof operand === 'number') addNumber(sketch, operand);
  else if (typeof operand === 'boolean') addNumber(sketch, operand ? 1 : 2);
  else if (operand !== null) for (const item of operand) addOperand(sketch, item);
}

/** Whether two conditions are written the same, and so mean the same. */
export function isSameCondition(a: Condition, b: Condition): boolean {
  switch (a.kind) {
    case 'all':
    case 'any':
      return a.kind === b.kind && areSame(a.of, b.of, isSameCondition);
    case 'not':
      return b.kind === 'not' && isSameCondition(a.of, b.of);
    case 'test':
      return (
        b.kind === 'test' &&
        a.operator === b.operator &&
        isSamePath(a.path, b.path) &&
        isSameOperand(a.operand, b.operand)
      );
  }
}

function isSamePath(a: Path, b: Path): boolean {
  return a.root === b.root && areSame(a.segments, b.segments, Object.is);
}

function isSameOperand(a: Operand, b: Operand): boolean {
  if (a === b) return true;
  return Array.isArray(a) && Array.isArray(b) && areSame(a as readonly unknown[], b, Object.is);
}

function areSame<T>(a: readonly T[], b: readonly T[], same: (a: T, b: T) => boolean): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!same(a[i] as T, b[i] as T)) return false;
  return true;
}
