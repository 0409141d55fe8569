/** CPU time of `fixedWork` on the machine on which the bounds of the tests were set, in milliseconds. */
const REFERENCE_MS = 25
const ROUNDS = 3
const BYTES = 4_000_000

/** CPU time of this thread while `work` runs, in milliseconds: what other programs do in the meantime does not count. */
export async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

/**
 * Compares this machine, as busy as it is, with the one on which the bounds were set: 1 there, 3 where the same work
 * takes three times as long. A bound in milliseconds is multiplied by it.
 */
export async function slowness(): Promise<number> {
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await cpuMsOf(fixedWork))
  return Math.max(1, Math.min(...rounds) / REFERENCE_MS)
}

function fixedWork(): void {
  const bytes = Buffer.alloc(BYTES, 'fixed work ')
  let sum = 0
  for (const byte of Buffer.from(bytes.toString('base64'), 'base64')) sum = (sum * 31 + byte) | 0
  if (Number.isNaN(sum)) throw new Error('never')
}
