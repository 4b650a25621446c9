import { expect } from 'vitest';
import type { EventStore } from '../../../src/index.ts';
import { parseExplainBody } from '../../../src/core/explain/asked.ts';
import { readPathsOf } from '../../../src/core/query/answer-plan.ts';
import { ASKED } from '../../conformance/question-bodies.ts';

/** Expects every question to be answered by SQL, which its plan says with each path that is read. */
export async function expectPlansBySql(store: EventStore): Promise<void> {
  for (const [question, body] of ASKED) {
    const { reading } = parseExplainBody({ ...body, question });
    if (reading.method === 'since') continue;
    expect(Object.keys(store), question).toContain(reading.method);
    expect(await store.plan!('t', reading)).toEqual({ by: 'sql', paths: readPathsOf(reading) });
  }
}
