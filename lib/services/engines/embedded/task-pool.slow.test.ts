import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { TaskPool, type TaskPoolOptions } from '@/lib/services/engines/embedded/task-pool'
import type { TestInput, TestOutput } from '@/lib/services/engines/embedded/testing/task-entry'
import { EngineError } from '@/lib/services/engines/engine'

const open = new AbortController().signal

function roomOf(options: Partial<TaskPoolOptions> = {}): TaskPool<TestInput, TestOutput> {
  const room = new TaskPool<TestInput, TestOutput>({
    name: 'test',
    entry: 'testing/task-entry.ts',
    findWeights: async () => ({ 'model.onnx': '/somewhere/model.onnx' }),
    maxActive: 2,
    maxQueued: 1,
    idleMs: 60_000,
    taskDeadlineMs: 20_000,
    ...options,
  })
  onTestFinished(() => room.close())
  return room
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function until(isSo: () => boolean): Promise<void> {
  for (let waits = 0; !isSo(); waits++) {
    if (waits > 500) throw new Error('it never came to be')
    await sleep(10)
  }
}

describe('a task', () => {
  test('starts the child on first use; samples pass as samples, a view as no more than itself', async () => {
    const room = roomOf()
    expect(room.state()).toMatchObject({ state: 'asleep' })
    const samples = Float32Array.of(9, 0.25, -1, 9).subarray(1, 3)
    const output = await room.run({ do: 'double', samples }, open)
    expect(output).toEqual({ samples: Float32Array.of(0.5, -2), given: { 'model.onnx': '/somewhere/model.onnx' } })
    expect(room.state()).toMatchObject({ state: 'ready', processId: expect.any(Number), activeRequests: 0 })
  })

  test('sees nothing of the environment of the server', async () => {
    const { environment } = await roomOf().run({ do: 'environment' }, open)
    expect(environment!.filter((name) => !name.startsWith('NODE_CHANNEL_'))).toEqual(['NODE_ENV'])
  })

  test('says what it refuses, and keeps for the log what a library says', async () => {
    const room = roomOf()
    await expect(room.run({ do: 'refuse' }, open)).rejects.toMatchObject({
      reason: 'invalid-request',
      message: 'Not this.',
    })
    const failure = await room.run({ do: 'throw' }, open).catch((error: unknown) => error)
    expect(failure).toMatchObject({ reason: 'failed', cause: { message: 'a secret of the library' } })
    expect((failure as EngineError).message).not.toContain('secret')
  })

  test('is refused when the queue is full, and the next one finds a place again', async () => {
    const room = roomOf({ maxActive: 1 })
    const running = room.run({ do: 'wait', ms: 50 }, open)
    const queued = room.run({ do: 'wait', ms: 1 }, open)
    await expect(room.run({ do: 'wait', ms: 1 }, open)).rejects.toMatchObject({ reason: 'at-capacity' })
    await Promise.all([running, queued])
    expect(await room.run({ do: 'wait', ms: 1 }, open)).toEqual({})
  })

  test('that is aborted ends at once, in the child too, and gives its place back', async () => {
    const room = roomOf({ maxActive: 1 })
    await room.load()
    const leaving = new AbortController()
    const running = room.run({ do: 'wait', ms: 15_000 }, leaving.signal)
    await until(() => room.state().activeRequests === 1)
    leaving.abort(new Error('gone'))
    await expect(running).rejects.toThrow('gone')
    expect(await room.run({ do: 'wait', ms: 1 }, open)).toEqual({})
    await until(() => room.state().activeRequests === 0)
  })

  test('that was aborted before it began takes no place and starts nothing', async () => {
    const room = roomOf()
    await expect(room.run({ do: 'wait', ms: 1 }, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
    expect(room.state()).toMatchObject({ state: 'asleep', activeRequests: 0 })
  })

  test('past its deadline ends the child that no longer listens, and the next one gets a new child', async () => {
    const room = roomOf({ taskDeadlineMs: 1_500 })
    await room.load()
    const before = room.state().processId!
    const beside = room.run({ do: 'wait', ms: 250 }, open)
    await beside
    await expect(room.run({ do: 'spin', ms: 15_000 }, open)).rejects.toMatchObject({ reason: 'timeout' })
    await until(() => !isAlive(before))
    expect(await room.run({ do: 'wait', ms: 1 }, open)).toEqual({})
    expect(room.state().processId).not.toBe(before)
  })

  test('that nobody wants any more and that does not stop ends with its child at the deadline', async () => {
    const room = roomOf({ maxActive: 1, taskDeadlineMs: 300 })
    await room.load()
    const leaving = new AbortController()
    const running = room.run({ do: 'spin', ms: 15_000 }, leaving.signal)
    await sleep(50)
    leaving.abort(new Error('gone'))
    await expect(running).rejects.toThrow('gone')
    expect(await room.run({ do: 'wait', ms: 1 }, open)).toEqual({})
  })
})

describe('the child', () => {
  test('that crashes fails the tasks it has, and the next start waits a little', async () => {
    const room = roomOf()
    await room.load()
    const beside = room.run({ do: 'wait', ms: 15_000 }, open)
    const crashing = room.run({ do: 'crash' }, open)
    await expect(beside).rejects.toMatchObject({ reason: 'failed' })
    await expect(crashing).rejects.toMatchObject({ reason: 'failed' })
    const before = Date.now()
    expect(await room.run({ do: 'wait', ms: 1 }, open)).toEqual({})
    expect(Date.now() - before).toBeGreaterThan(450)
  })

  test('that cannot load says so, leaves no process, and is not tried again for each task', async () => {
    let tries = 0
    const room = roomOf({
      findWeights: async () => {
        tries++
        return { fault: 'a broken file' }
      },
    })
    for (let times = 0; times < 2; times++) {
      await expect(room.run({ do: 'wait', ms: 1 }, open)).rejects.toMatchObject({
        reason: 'failed',
        cause: { message: 'a broken file' },
      })
    }
    expect(tries).toBe(1)
    expect(room.state()).toMatchObject({ state: 'failed', activeRequests: 0 })
  })

  test('ends when it has been idle, and another comes when it is wanted', async () => {
    const room = roomOf({ idleMs: 50 })
    await room.run({ do: 'wait', ms: 1 }, open)
    const pid = room.state().processId
    await until(() => room.state().state === 'asleep')
    if (pid !== undefined) await until(() => !isAlive(pid))
    expect(await room.run({ do: 'wait', ms: 1 }, open)).toEqual({})
  })

  test('ends when the room is closed, and what it had to do fails', async () => {
    const room = roomOf()
    await room.load()
    const pid = room.state().processId!
    const running = room.run({ do: 'wait', ms: 15_000 }, open)
    await until(() => room.state().activeRequests === 1)
    void room.close()
    await expect(running).rejects.toMatchObject({ reason: 'failed' })
    await until(() => !isAlive(pid))
    await expect(room.run({ do: 'wait', ms: 1 }, open)).rejects.toMatchObject({ reason: 'offline' })
  })

  test('ends with its parent when that is killed', async () => {
    const entry = path.resolve('lib/services/engines/embedded/testing/task-entry.ts')
    const script = `const child = require('node:child_process').fork(${JSON.stringify(entry)}); console.log(child.pid)`
    const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] })
    const [line] = await once(parent.stdout, 'data')
    const pid = Number(String(line))
    await sleep(500)
    expect(isAlive(pid)).toBe(true)
    parent.kill('SIGKILL')
    await until(() => !isAlive(pid))
  })
})

describe('weights', () => {
  test('that cannot be had are why a task fails', async () => {
    const room = roomOf({ findWeights: () => Promise.reject(new EngineError('offline', 'no weights')) })
    await expect(room.run({ do: 'wait', ms: 1 }, open)).rejects.toMatchObject({
      reason: 'offline',
      message: 'no weights',
    })
  })

  test('that are on their way show how far they are, and a task that leaves is let go', async () => {
    const room = roomOf({
      findWeights: (onProgress) => {
        onProgress({ step: 'downloading', bytes: 1, total: 4 })
        return new Promise(() => undefined)
      },
    })
    const leaving = new AbortController()
    const asked = room.run({ do: 'wait', ms: 1 }, leaving.signal)
    await until(() => room.state().state === 'downloading')
    expect(room.state()).toMatchObject({ fraction: 0.25 })
    leaving.abort(new Error('gone'))
    await expect(asked).rejects.toThrow('gone')
    await until(() => room.state().activeRequests === 0)
  })
})
