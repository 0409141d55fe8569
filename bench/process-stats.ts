import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const KIB = 1024
let ticksPerSecond: number | undefined

/** CPU time that a process has used so far, user and system, all its threads. Linux only. @returns milliseconds */
export function cpuMs(pid: number): number {
  ticksPerSecond ??= Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }))
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name in the second field may hold spaces; what follows its closing bracket does not.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [userTicks, systemTicks] = [Number(fields[11]), Number(fields[12])]
  return ((userTicks + systemTicks) * 1000) / ticksPerSecond
}

/**
 * CPU time of the thread that a process began with: the one of Node's event loop. To the nanosecond, where the process's
 * own count goes by hundredths of a second. Linux only.
 *
 * @returns milliseconds
 */
export function mainThreadCpuMs(pid: number): number {
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
  return Number(nanoseconds) / 1_000_000
}

/** Resident memory of a process. Linux only. @returns bytes */
export function residentBytes(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kib) * KIB
}
