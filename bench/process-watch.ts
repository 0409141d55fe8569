import { readdirSync, readFileSync } from 'node:fs'
import { cpuMs, residentBytes } from '@/bench/children'

const SAMPLE_MS = 100

/** The most that a process, and the largest of its children, had in memory while they were watched. Bytes. */
export type Peak = { server: number; child: number; children: number }

/** Watches a process and all that it has started. Linux only. */
export function watchMemory(pid: number): { before: number; stop: () => Peak } {
  const before = residentBytes(pid)
  const peak: Peak = { server: before, child: 0, children: 0 }
  const timer = setInterval(() => {
    const sizes = descendantsOf(pid).map(sizeOf)
    peak.server = Math.max(peak.server, sizeOf(pid))
    peak.child = Math.max(peak.child, ...sizes)
    peak.children = Math.max(
      peak.children,
      sizes.reduce((sum, size) => sum + size, 0),
    )
  }, SAMPLE_MS)
  return {
    before,
    stop: () => {
      clearInterval(timer)
      return peak
    },
  }
}

/** All processes that a process has started, and those that they have started. */
export function descendantsOf(pid: number): number[] {
  const parents = new Map(processes().map((id) => [id, parentOf(id)]))
  const found = [pid]
  for (const ancestor of found) for (const [id, parent] of parents) if (parent === ancestor) found.push(id)
  return found.slice(1)
}

/** CPU time of a process and of all that it has started and that still run. Linux only. @returns milliseconds */
export const treeCpuMs = (pid: number): number =>
  [pid, ...descendantsOf(pid)].reduce((sum, id) => sum + (parentOf(id) === undefined ? 0 : cpuMs(id)), 0)

/** Those of these processes that still run. */
export const alive = (pids: number[]): number[] => pids.filter((pid) => parentOf(pid) !== undefined)

/** Whether a process runs its own program, or has ended. From its fork until then it is its parent's copy, environment and all. */
export function hasBegun(pid: number): boolean {
  const parent = parentOf(pid)
  if (parent === undefined) return true
  const command = factOf(pid, 'cmdline')
  return command !== '' && command !== factOf(parent, 'cmdline')
}

/** All that a process found in its environment, if it has begun; nothing of one that has just ended. */
export const environmentOf = (pid: number): string => factOf(pid, 'environ')

const processes = (): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)

/** Nothing for one that has just ended. */
function factOf(pid: number, fact: 'cmdline' | 'environ' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${fact}`, 'latin1')
  } catch {
    return ''
  }
}

/** Nothing for one that has ended, also where nobody has asked yet how. */
function parentOf(pid: number): number | undefined {
  const stat = factOf(pid, 'stat')
  const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return stat === '' || state === 'Z' ? undefined : Number(parent)
}

/** Nothing for one that has just ended. */
function sizeOf(pid: number): number {
  try {
    return residentBytes(pid) || 0
  } catch {
    return 0
  }
}
