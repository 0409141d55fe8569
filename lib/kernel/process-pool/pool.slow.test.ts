import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { closeProcessPools, ProcessPool, type ProcessPoolOptions } from '@/lib/kernel/process-pool/pool'
import type { TestTask } from '@/lib/kernel/testing/child-entry'
import { eventually } from '@/lib/kernel/testing/time'

const open = new AbortController().signal
const echo: TestTask = { do: 'echo', bytes: Uint8Array.of(1, 2, 3) }

type Options = Partial<ProcessPoolOptions<TestTask, string>> & { deadlineMs?: number }

function createRoom({ deadlineMs = 20_000, ...options }: Options = {}): ProcessPool<TestTask, unknown> {
  return new ProcessPool<TestTask, unknown>({
    name: 'test',
    entry: 'kernel/testing/child-entry.ts',
    places: 1,
    maxQueued: 1,
    deadlineMsOf: () => deadlineMs,
    maxResidentBytes: 300_000_000,
    idleMs: 60_000,
    errors: {
      refused: ({ reason, message, detail }) => new Error(`${reason}: ${message}`, { cause: detail }),
      unanswered: (end, cause) => new Error(end, { cause }),
    },
    ...options,
  })
}

const room = createRoom()

const keepers = () => process.getActiveResourcesInfo().filter((name) => /Pipe|Process/.test(name)).length
const noKeepers = keepers()

afterAll(closeProcessPools)

const messageOf = (promise: Promise<unknown>) => promise.then(String, (error: Error) => error.message)

function isGone(id: number): boolean {
  try {
    process.kill(id, 0)
    return false
  } catch {
    return true
  }
}

test('one process serves task after task; bytes arrive as bytes', async () => {
  expect(await room.run(echo, open)).toEqual(Uint8Array.of(1, 2, 3))
  const [first] = room.processIds
  expect(await room.run(echo, open)).toEqual(Uint8Array.of(1, 2, 3))
  expect(room.processIds).toEqual([first])
})

test('what a task throws comes back as its owner says, and the process goes on', async () => {
  const ids = room.processIds
  await expect(room.run({ do: 'refuse' }, open)).rejects.toMatchObject({ message: 'refused: not this' })
  await expect(room.run({ do: 'throw' }, open)).rejects.toMatchObject({
    message: 'fault: It went wrong.',
    cause: 'Error: a secret of the library',
  })
  expect(await room.run({ do: 'reject-later' }, open)).toBe('done')
  expect(await room.run(echo, open)).toHaveLength(3)
  expect(room.processIds).toEqual(ids)
})

test('a process knows nothing of the environment, and its room may tell it something', async () => {
  vi.stubEnv('SECRET', 'x')
  const told = createRoom({ environment: { GIVEN: 'yes' }, args: ['one', 'two'] })
  const seen = (await told.run({ do: 'environment' }, open)) as { names: string[]; args: string[] }
  const ours = seen.names.filter((name) => !name.startsWith('NODE_CHANNEL_'))
  expect({ ...seen, names: ours }).toEqual({ names: ['GIVEN', 'NODE_ENV'], args: ['one', 'two'] })
})

test('a process can read its own code, and do nothing else', async () => {
  let visits = 0
  const canary = createServer((_, response) => {
    visits++
    response.end()
  })
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(canary.address() as AddressInfo).port}/`
  const file = path.join(tmpdir(), `child-room-${process.pid}`)
  expect(await room.run({ do: 'try', address, file }, open)).toEqual(['read its own code'])
  expect([visits, existsSync(file)]).toEqual([0, false])
  canary.close()
})

test.each([
  ['is killed', { do: 'die', by: 'SIGKILL' }, 'killed'],
  ['crashes', { do: 'die', by: 'SIGSEGV' }, 'crash'],
  ['aborts', { do: 'die', by: 'SIGABRT' }, 'crash'],
  ['ends itself', { do: 'exit' }, 'ended'],
] as [string, TestTask, string][])('a process that %s fails its task only', async (_, task, end) => {
  expect(await messageOf(room.run(task, open))).toBe(end)
  expect(await room.run(echo, open)).toHaveLength(3)
  expect(room.processIds).toHaveLength(1)
})

test('a process that takes too much memory ends itself, however busy it is', async () => {
  expect(await messageOf(room.run({ do: 'hold-and-spin', bytes: 400_000_000 }, open))).toBe('memory')
})

test('a process whose heap is full has taken too much memory', async () => {
  const narrow = createRoom({ maxHeapBytes: 20 * 1024 * 1024 })
  expect(await messageOf(narrow.run({ do: 'fill-the-heap' }, open))).toBe('memory')
})

test('a process that has grown takes no other task', async () => {
  await room.run(echo, open)
  const [id] = room.processIds
  expect(await room.run({ do: 'hold', bytes: 160_000_000 }, open)).toBe('done')
  await room.run(echo, open)
  await eventually(() => expect(room.processIds).not.toContain(id))
})

test('a task that takes too long is given up, and its process ended', async () => {
  const hurried = createRoom({ deadlineMs: 300 })
  const failing = messageOf(hurried.run({ do: 'spin' }, open))
  await eventually(() => expect(hurried.processIds).toHaveLength(1))
  const [id = 0] = hurried.processIds
  expect(await failing).toBe('timeout')
  await eventually(() => expect(isGone(id)).toBe(true))
  expect([hurried.active, hurried.processIds]).toEqual([0, []])
})

test('an abort frees the place, while running and while waiting', async () => {
  const [running, waiting] = [new AbortController(), new AbortController()]
  const first = messageOf(room.run({ do: 'spin' }, running.signal))
  const second = messageOf(room.run({ do: 'spin' }, waiting.signal))
  await eventually(() => expect([room.active, room.queued, room.processIds.length]).toEqual([1, 1, 1]))
  const [id = 0] = room.processIds

  waiting.abort(new Error('gone from the queue'))
  expect(await second).toBe('gone from the queue')
  expect([room.active, room.queued]).toEqual([1, 0])
  running.abort(new Error('gone'))
  expect(await first).toBe('gone')
  expect(room.active).toBe(0)
  await eventually(() => expect(isGone(id)).toBe(true))
  expect(await messageOf(room.run(echo, AbortSignal.abort(new Error('before'))))).toBe('before')
})

test('more than the queue holds are told that it is busy', async () => {
  const tasks = [room.run(echo, open), room.run(echo, open)]
  expect(await messageOf(room.run(echo, open))).toBe('busy')
  expect(await Promise.all(tasks)).toHaveLength(2)
  expect([room.active, room.queued]).toEqual([0, 0])
})

test('a process without work ends after a while, and keeps nobody alive until then', async () => {
  await closeProcessPools()
  const idle = createRoom({ idleMs: 1_000 })
  await idle.run(echo, open)
  const [id = 0] = idle.processIds
  await eventually(() => expect(keepers()).toBe(noKeepers))
  expect(isGone(id)).toBe(false)
  await eventually(() => expect(isGone(id)).toBe(true))
  await eventually(() => expect(idle.processIds).toEqual([]))
})

test('a process that dies without work is replaced', async () => {
  await room.run(echo, open)
  process.kill(room.processIds[0] ?? 0, 'SIGKILL')
  await eventually(() => expect(room.processIds).toEqual([]))
  expect(await room.run(echo, open)).toHaveLength(3)
})

test('all rooms close together: nothing is left, and what ran or waited fails', async () => {
  const other = createRoom()
  await other.run(echo, open)
  const running = messageOf(room.run({ do: 'spin' }, open))
  const waiting = messageOf(room.run(echo, open))
  await eventually(() => expect(room.queued).toBe(1))
  const ids = [...room.processIds, ...other.processIds]
  expect(ids).toHaveLength(2)

  await closeProcessPools()

  expect(ids.map(isGone)).toEqual([true, true])
  expect(await Promise.all([running, waiting])).toEqual(['killed', 'busy'])
  expect([room.active, room.queued, room.processIds]).toEqual([0, 0, []])
})

test('a process ends with its parent when that is killed, however busy it is', async () => {
  const entry = path.resolve('lib/kernel/testing/child-entry.ts')
  const script = `
    const setup = { parentProcessId: process.pid, maxResidentBytes: 1e9 }
    const children = ['spin', 'environment'].map((task) => {
      const child = require('node:child_process').fork(${JSON.stringify(entry)}, [JSON.stringify(setup)])
      child.send({ do: task })
      return child
    })
    children[1].on('message', () => console.log(children.map(({ pid }) => pid).join(' ')))`
  const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [line] = await once(parent.stdout, 'data')
  const ids = String(line).split(' ').map(Number)
  expect(ids.map(isGone)).toEqual([false, false])
  parent.kill('SIGKILL')
  await eventually(() => expect(ids.map(isGone)).toEqual([true, true]))
})
