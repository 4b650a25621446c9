/** Checks of a script, each printed as one line, and counted. */
export interface Checks {
  check(what: string, holds: boolean, found?: unknown): void;
  /** A check that fails by throwing. */
  attempt(what: string, work: () => void): void;
  /** Prints the counts and sets the exit code. */
  finish(): void;
}

export function createChecks(): Checks {
  let passed = 0;
  let failed = 0;
  const check = (what: string, holds: boolean, found?: unknown) => {
    if (holds) passed += 1;
    else failed += 1;
    const detail =
      found === undefined ? '' : `: ${typeof found === 'string' ? found : JSON.stringify(found)}`;
    console.log(`${holds ? 'ok     ' : 'failed '} ${what}${detail}`);
  };
  return {
    check,
    attempt: (what, work) => {
      try {
        work();
        check(what, true);
      } catch (error) {
        check(what, false, String(error));
      }
    },
    finish: () => {
      console.log(`${passed} passed, ${failed} failed`);
      process.exitCode = failed === 0 ? 0 : 1;
    },
  };
}
