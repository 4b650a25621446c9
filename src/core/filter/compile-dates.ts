import { DAY_MS, parseDay } from '../event/time.ts';
import type { Condition, Operand, Test } from './condition.ts';
import type { Path } from './path.ts';

const EVENT_TS: Path = { root: 'eventTs', segments: [] };

/**
 * Rewrites every comparison of `eventDate` with days into one of `eventTs` with their first and last
 * milliseconds, so that no predicate has to write a date for each event that it looks at.
 */
export function compareInstants(condition: Condition): Condition {
  switch (condition.kind) {
    case 'all':
    case 'any':
      return { kind: condition.kind, of: condition.of.map(compareInstants) };
    case 'not':
      return { kind: 'not', of: compareInstants(condition.of) };
    case 'test':
      return condition.path.root === 'eventDate' ? (toInstants(condition) ?? condition) : condition;
  }
}

/** Undefined for operands that are no days, which are left to the text of the date. */
function toInstants({ operator, operand }: Test): Condition | undefined {
  if (operator === 'IN' && Array.isArray(operand)) {
    const days = (operand as readonly Operand[]).map(onDay);
    return days.every((day) => day !== undefined) ? { kind: 'any', of: days } : undefined;
  }
  const start = startOf(operand);
  if (start === undefined) return undefined;
  switch (operator) {
    case 'EQUALS':
      return onDay(operand);
    case 'GREATER_THAN':
      return instant('GREATER_THAN_OR_EQUALS', start + DAY_MS);
    case 'GREATER_THAN_OR_EQUALS':
      return instant('GREATER_THAN_OR_EQUALS', start);
    case 'LESS_THAN':
      return instant('LESS_THAN', start);
    case 'LESS_THAN_OR_EQUALS':
      return instant('LESS_THAN', start + DAY_MS);
    default:
      return undefined;
  }
}

function startOf(operand: Operand): number | undefined {
  return typeof operand === 'string' ? parseDay(operand) : undefined;
}

function onDay(operand: Operand): Condition | undefined {
  const start = startOf(operand);
  if (start === undefined) return undefined;
  return {
    kind: 'all',
    of: [instant('GREATER_THAN_OR_EQUALS', start), instant('LESS_THAN', start + DAY_MS)],
  };
}

function instant(operator: Test['operator'], operand: number): Test {
  return { kind: 'test', path: EVENT_TS, operator, operand };
}
