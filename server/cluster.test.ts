import cluster from 'node:cluster'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { resetPerProcess } from '@/lib/kernel/per-process'
import { runWorkers } from '@/server/cluster'

let root: string
const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'cluster-'))
  mkdirSync(path.join(root, 'dist'))
})
afterEach(async () => {
  // What the last test listens with: it ends its workers and starts none anew.
  const ours = signals.map((signal) => process.listeners(signal).at(-1)!)
  ours[0]!('SIGTERM')
  await vi.waitFor(() => expect(Object.keys(cluster.workers ?? {})).toEqual([]), 60_000)
  for (const [at, signal] of signals.entries()) process.removeListener(signal, ours[at]!)
  resetPerProcess('log')
  rmSync(root, { recursive: true, force: true })
})

const startsFile = () => path.join(root, 'starts')
const starts = () => readFileSync(startsFile(), 'utf8').length

function program(body: string): void {
  const lines = [
    `import { appendFileSync, readFileSync } from 'node:fs'`,
    `import { createServer } from 'node:net'`,
    `appendFileSync(${JSON.stringify(startsFile())}, 's')`,
    `const starts = readFileSync(${JSON.stringify(startsFile())}, 'utf8').length`,
    body,
  ]
  writeFileSync(path.join(root, 'dist', 'server.mjs'), lines.join('\n'))
}

test('workers that cannot start are given up after a few tries, with code 1', async () => {
  program('process.exit(3)')
  const exit = vi.fn()
  void runWorkers({ count: 2, root, drainGraceMs: 0, firstBackoffMs: 1, exit })
  await vi.waitFor(() => expect(exit).toHaveBeenCalledWith(1), 120_000)
  expect(starts()).toBeLessThan(10)
})

test('a worker that starts at its third try serves', async () => {
  program(`if (starts < 3) process.exit(1)\ncreateServer().listen(0, '127.0.0.1')`)
  const exit = vi.fn()
  await runWorkers({ count: 1, root, drainGraceMs: 0, firstBackoffMs: 1, exit })
  expect(starts()).toBe(3)
  expect(exit).not.toHaveBeenCalled()
})
