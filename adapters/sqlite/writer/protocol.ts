import { ApiError, isApiError } from '../../../src/index.ts';
import type { OperationOptions } from '../writes/operations.ts';
import type { TaskResult, Task } from './group.ts';

/** The settings that a writing thread starts with. */
export interface ThreadSettings extends OperationOptions {
  readonly driver: string;
  readonly file: string;
  /** Whether its work is not urgent, so that other threads run first if processors are short. */
  readonly isIdle?: boolean;
}

/** A message to a thread: operations, or the end of them. */
export type WriterMessage = readonly Task[] | 'close';

/** A message from a thread: that it can write, or the results of the next operations. */
export type Report = 'ready' | readonly PlainTaskResult[];

/**
 * A result in a form that can be sent: an error is reduced to these fields, because the others would be lost.
 */
type PlainTaskResult = { readonly value: unknown } | { readonly failure: Failure };

interface Failure {
  readonly message: string;
  readonly stack?: string | undefined;
  /** Whether the error is meant for the caller; its code is then in the table of errors. */
  readonly refusal: boolean;
  readonly code?: unknown;
  readonly errcode?: unknown;
}

/** Converts a result to the form that can be sent. */
export function toPlain(result: TaskResult): PlainTaskResult {
  if (!('error' in result)) return result;
  const { error } = result;
  if (!(error instanceof Error)) return { failure: { message: String(error), refusal: false } };
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return {
    failure: { message: error.message, stack: error.stack, refusal: isApiError(error), code, errcode },
  };
}

/** Converts a result back. */
export function fromPlain(outcome: PlainTaskResult): TaskResult {
  if (!('failure' in outcome)) return outcome;
  const { message, stack, refusal, code, errcode } = outcome.failure;
  // The messages of operations' refusals have no parameters.
  if (refusal) return { error: new ApiError(code as 'tenantNotFound') };
  const error = Object.assign(new Error(message), { code, errcode });
  if (stack !== undefined) error.stack = stack;
  return { error };
}
