import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ChatPoolOptions, LoadProgress } from '@/lib/services/engines/embedded/chat/process'
import { chatRequest, collect, randomChatModel } from '@/lib/services/engines/embedded/testing/random-chat-model'
import { EngineError } from '@/lib/services/engines/engine'

const open = new AbortController().signal

async function roomOf(options: Partial<ChatPoolOptions> = {}) {
  const { room, close } = await randomChatModel(options)
  onTestFinished(close)
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

describe('the process of a model', () => {
  test('starts on first use, with progress for who loads it ahead; one that dies fails the answers under way', async () => {
    const room = await roomOf()
    expect(room.state()).toMatchObject({ state: 'asleep' })
    const seen: LoadProgress[] = []
    await room.load((progress) => seen.push(progress))
    expect(seen.at(-1)).toEqual({ step: 'loading', fraction: 1 })
    expect(room.state()).toMatchObject({ state: 'ready', processId: expect.any(Number) })

    const stream = room.stream(chatRequest({ maxTokens: 400 }), open)
    await stream.next()
    const before = room.state().processId!
    process.kill(before, 'SIGKILL')
    await expect(collect(stream)).rejects.toMatchObject({ reason: 'failed' })
    expect((await collect(room.stream(chatRequest({ maxTokens: 5 }), open))).reasons).toEqual(['length'])
    expect(room.state().processId).not.toBe(before)
  })

  test('ends when it has been idle, since it was loaded or since an answer, and comes back when it is wanted', async () => {
    const room = await roomOf({ idleMs: 50 })
    await room.load()
    const pid = room.state().processId
    await until(() => room.state().state === 'asleep')
    if (pid !== undefined) await until(() => !isAlive(pid))
    expect((await collect(room.stream(chatRequest({ maxTokens: 5 }), open))).reasons).toEqual(['length'])
    await until(() => room.state().state === 'asleep')
  })

  test.each([
    ['at once', 0],
    ['later', 1_000],
  ])('ends with its parent, also when that is killed %s', async (_, afterMs) => {
    const entry = path.resolve('lib/services/engines/embedded/chat/chat-worker.ts')
    const script = `const child = require('node:child_process').fork(${JSON.stringify(entry)}); console.log(child.pid)`
    const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] })
    const [line] = await once(parent.stdout, 'data')
    const pid = Number(String(line))
    await sleep(afterMs)
    expect(isAlive(pid)).toBe(true)
    parent.kill('SIGKILL')
    await until(() => !isAlive(pid))
  })
})

describe('a model that cannot be had', () => {
  test('says why, says it again without trying anew, and is tried again later', async () => {
    let tries = 0
    const room = await roomOf({
      findWeights: async () => {
        tries++
        throw new EngineError('offline', 'no weights')
      },
    })
    const ask = () => collect(room.stream(chatRequest(), open))
    await expect(ask()).rejects.toMatchObject({ reason: 'offline', message: 'no weights' })
    await expect(ask()).rejects.toMatchObject({ reason: 'offline', message: 'no weights' })
    expect(tries).toBe(1)
    expect(room.state()).toMatchObject({ state: 'failed', message: 'no weights', activeRequests: 0 })
    await sleep(600)
    await expect(ask()).rejects.toThrow('no weights')
    expect(tries).toBe(2)
  })

  test('because its file is broken fails, and leaves no process behind', async () => {
    const room = await roomOf({ findWeights: async () => path.resolve('package.json') })
    await expect(room.load()).rejects.toMatchObject({ reason: 'failed' })
    expect(room.state()).toMatchObject({ state: 'failed' })
  })

  test('a request that leaves while it loads is let go at once', async () => {
    const room = await roomOf({ findWeights: () => new Promise(() => undefined) })
    const leaving = new AbortController()
    const asked = collect(room.stream(chatRequest(), leaving.signal))
    setTimeout(() => leaving.abort(new Error('gone')), 20)
    await expect(asked).rejects.toThrow('gone')
    expect(room.state().activeRequests).toBe(0)
  })
})
