import { aligned, shown } from '@/bench/figures'
import type { Results } from '@/bench/gateway'
import type { LegName, Measured } from '@/bench/gateway-legs'
import type { TargetName } from '@/bench/gateway-targets'

type Target = { most: number } | { least: number }
type Targets = Pick<Row, 'target' | 'targetOnPostgres'>

export type Row = {
  what: string
  direct?: number
  passThrough?: number
  portkey?: number
  ours?: number
  oursOnPostgres?: number
  measure?: { name: string; ours: number; oursOnPostgres?: number }
  target?: Target
  /** Where it is another one. */
  targetOnPostgres?: Target
  digits?: number
}

const MIB = 1024 * 1024

export function rowsOf(results: Results): Row[] {
  const row = (what: string, leg: LegName, field: Exclude<keyof Measured, 'faults'>): Row => {
    const of = (target: TargetName) => results.legs[leg][target]?.[field]
    return {
      what,
      direct: of('direct'),
      passThrough: of('pass-through'),
      portkey: of('portkey'),
      ours: of('ours'),
      oursOnPostgres: of('ours-postgres'),
    }
  }
  const { memory, left } = results
  const mib = (bytes: number | undefined) => (bytes === undefined ? undefined : bytes / MIB)
  return [
    ratio(row('1 KB chat, 32 connections: CPU µs/request', 'chat-32-one-event', 'cpuPerRequestUs'), most(2.4, 2)),
    ratio(row('  asked to stream, the upstream sends 128 events', 'chat-32', 'cpuPerRequestUs'), most(2.4, 2)),
    row('1 KB chat, 32 connections: requests/s', 'chat-32-one-event', 'perSecond'),
    added(row('1 KB chat, 1 connection: p50 ms', 'chat-1', 'p50Ms'), most(0.6, 0.5)),
    added(row('100 kB prompt, 8 connections: p50 ms', 'prompt-100k', 'p50Ms')),
    ratio(row('100 kB prompt, 8 connections: CPU µs/request', 'prompt-100k', 'cpuPerRequestUs'), most(2.5, 2.5)),
    row('100 kB prompt, 8 connections: requests/s', 'prompt-100k', 'perSecond'),
    added(row('16 streams, 20 ms to first token: p50 ms', 'paced', 'firstP50Ms'), most(1, 1)),
    ratio(row('16 streams, 5 ms apart: CPU µs/event', 'paced', 'cpuPerEventUs'), most(1.8, 1.6)),
    ratio(row('8 streams in bursts: CPU µs/event', 'burst', 'cpuPerEventUs'), most(1.3, 1.2)),
    ratio(row('  the upstream writes all 200 events at once', 'burst-whole', 'cpuPerEventUs')),
    row('8 streams in bursts: events/s', 'burst', 'perSecond'),
    {
      what: 'streams left by the client, seen to end upstream',
      direct: left.direct,
      passThrough: left['pass-through'],
      portkey: left.portkey,
      ours: left.ours,
      oursOnPostgres: left['ours-postgres'],
      measure: { name: 'of 10', ours: left.ours ?? 0, oursOnPostgres: left['ours-postgres'] },
      target: { least: 10 },
    },
    memoryRow('resident memory after start, MiB', memory.idle),
    { ...memoryRow('resident memory after load, MiB', memory.loaded), ...memoryTarget(results) },
    { what: "  PGlite's own part of it, MiB", ours: mib(memory.pglite) },
  ]
}

const most = (embedded: number, onPostgres: number): Targets => ({
  target: { most: embedded },
  targetOnPostgres: { most: onPostgres },
})

function ratio(row: Row, targets?: Targets): Row {
  const over = (value: number | undefined) => (value ?? Number.NaN) / (row.passThrough ?? Number.NaN)
  return {
    ...row,
    ...targets,
    measure: { name: '× pass-through', ours: over(row.ours), oursOnPostgres: over(row.oursOnPostgres) },
  }
}

function added(row: Row, targets?: Targets): Row {
  const over = (value: number | undefined) => (value ?? Number.NaN) - (row.direct ?? Number.NaN)
  return {
    ...row,
    ...targets,
    digits: 2,
    measure: { name: '+ over direct', ours: over(row.ours), oursOnPostgres: over(row.oursOnPostgres) },
  }
}

function memoryRow(what: string, bytes: Results['memory']['loaded']): Row {
  const mib = (target: TargetName) => (bytes[target] === undefined ? undefined : bytes[target] / MIB)
  return {
    what,
    passThrough: mib('pass-through'),
    portkey: mib('portkey'),
    ours: mib('ours'),
    oursOnPostgres: mib('ours-postgres'),
  }
}

function memoryTarget({ memory }: Results): Partial<Row> {
  const mib = (bytes = Number.NaN) => bytes / MIB
  return {
    measure: { name: 'MiB', ours: mib(memory.loaded.ours), oursOnPostgres: mib(memory.loaded['ours-postgres']) },
    ...most(450, 250),
  }
}

export function tableOf(rows: Row[]): string {
  const peer = rows.some(({ portkey }) => portkey !== undefined) ? ['portkey'] : []
  const head = [
    '',
    'direct',
    'pass-thr.',
    ...peer,
    'ours',
    'ours on pg',
    'measure',
    'ours',
    'on pg',
    'target',
    '',
    'on pg',
    '',
  ]
  const lines = rows.map((row) => {
    const { measure, target, targetOnPostgres = target } = row
    const show = (value: number | undefined) => shown(value, row.digits)
    return [
      row.what,
      show(row.direct),
      show(row.passThrough),
      ...peer.map(() => show(row.portkey)),
      show(row.ours),
      show(row.oursOnPostgres),
      measure?.name ?? '',
      shown(measure?.ours, 2),
      shown(measure?.oursOnPostgres, 2),
      goal(target),
      verdict(measure?.ours, target),
      goal(targetOnPostgres),
      verdict(measure?.oursOnPostgres, targetOnPostgres),
    ]
  })
  return aligned([head, ...lines])
}

export function goal(target: Target | undefined): string {
  if (target === undefined) return ''
  return 'most' in target ? `≤ ${target.most}` : `≥ ${target.least}`
}

export function verdict(value: number | undefined, target: Target | undefined): string {
  if (value === undefined || target === undefined) return ''
  const isMet = 'most' in target ? value <= target.most : value >= target.least
  return isMet ? 'met' : 'missed'
}
