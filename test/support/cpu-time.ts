/** How many milliseconds of a processor some work takes: what others do on the machine does not count. */
export async function cpuMsOf(work: () => unknown): Promise<number> {
  const began = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}
