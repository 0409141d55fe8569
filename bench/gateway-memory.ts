import path from 'node:path'
import { startChild } from '@/bench/children'
import type { Bed, TargetName } from '@/bench/gateway-targets'
import type { PGliteCalls } from '@/bench/open-pglite'
import { residentBytes } from '@/bench/process-stats'

type PerTarget = Partial<Record<TargetName, number>>

/** Resident memory, in bytes. */
export type Memory = {
  /** Of each process under test, before and after the load. */
  idle: PerTarget
  loaded: PerTarget
  /** What opening and migrating the embedded database adds to a process that does nothing else. */
  pglite: number
}

/** The embedded database alone. */
export async function measurePGlite(folder: string): Promise<number> {
  const child = await startChild<PGliteCalls>('open-pglite')
  try {
    await child.call('ping')
    const before = residentBytes(child.pid)
    await child.call('open', path.join(folder, 'pglite-alone'))
    return residentBytes(child.pid) - before
  } finally {
    await child.stop()
  }
}

export function residentOf({ targets }: Bed): PerTarget {
  return Object.fromEntries(targets.flatMap(({ name, pid }) => (pid === undefined ? [] : [[name, residentBytes(pid)]])))
}
