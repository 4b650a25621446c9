import { onTestFinished, vi } from 'vitest';

/** `performance.now` as everything in this process reads it: it stands still until the test moves it. */
export function stopTime(): { advance(ms: number): void } {
  // Of whole milliseconds, for a fraction may be rounded away where a test adds to it and the code takes off.
  let now = Math.ceil(performance.now());
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => spy.mockRestore());
  return {
    advance: (ms) => {
      now += ms;
    },
  };
}
