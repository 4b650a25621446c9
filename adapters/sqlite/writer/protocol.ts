import { ApiError, isApiError } from '../../../src/index.ts';
import type { OperationOptions } from '../writes/operations.ts';
import type { TaskResult, Task } from './group.ts';

/** What a writing thread is told when it begins. */
export interface ThreadSettings extends OperationOptions {
  readonly driver: string;
  readonly file: string;
  /** Whether nobody waits for what it does, so that others come first where processors are short. */
  readonly isIdle?: boolean;
}

/** What a thread is sent: operations, or that there will be no more of them. */
export type WriterMessage = readonly Task[] | 'close';

/** What it sends: that it can write, or what became of the next operations that it was sent. */
export type Report = 'ready' | readonly PlainTaskResult[];

/** An outcome that can be sent: of an error only what is said here would arrive. */
type PlainTaskResult = { readonly value: unknown } | { readonly failure: Failure };

interface Failure {
  readonly message: string;
  readonly stack?: string | undefined;
  /** Whether the caller may read it: the code is one of the table of errors then. */
  readonly refusal: boolean;
  readonly code?: unknown;
  readonly errcode?: unknown;
}

/** Makes an outcome ready to be sent. */
export function toPlain(result: TaskResult): PlainTaskResult {
  if (!('error' in result)) return result;
  const { error } = result;
  if (!(error instanceof Error)) return { failure: { message: String(error), refusal: false } };
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return {
    failure: { message: error.message, stack: error.stack, refusal: isApiError(error), code, errcode },
  };
}

/** The outcome that was sent. */
export function fromPlain(outcome: PlainTaskResult): TaskResult {
  if (!('failure' in outcome)) return outcome;
  const { message, stack, refusal, code, errcode } = outcome.failure;
  // No operation refuses with words that vary.
  if (refusal) return { error: new ApiError(code as 'tenantNotFound') };
  const error = Object.assign(new Error(message), { code, errcode });
  if (stack !== undefined) error.stack = stack;
  return { error };
}
