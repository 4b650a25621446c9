import { readFileSync } from 'node:fs';

/** Memory of a process over time. */
export interface MemoryWatch {
  /** The samples so far, in bytes. */
  readonly samples: readonly number[];
  stop(): void;
}

/** Samples the resident memory of a process (VmRSS) some times a second. */
export function watchMemory(pid: number): MemoryWatch {
  const samples: number[] = [];
  const sample = () => {
    const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    if (found !== undefined) samples.push(Number(found) * 1024);
  };
  sample();
  const timer = setInterval(() => {
    try {
      sample();
    } catch {
      clearInterval(timer);
    }
  }, 250);
  return { samples, stop: () => clearInterval(timer) };
}
