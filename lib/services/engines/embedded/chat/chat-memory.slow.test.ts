import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { MemoryBudget } from '@/lib/services/engines/embedded/memory-budget'
import { chatRequest, collect, randomChatModel } from '@/lib/services/engines/embedded/testing/random-chat-model'

const open = new AbortController().signal

async function modelsOf(count: number, room: number) {
  const budget = new MemoryBudget(() => ({ budget: room, available: 1_000_000 }))
  const memory = { budget, bytesOf: () => 60, isRequired: false }
  return await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const { room: model, close } = await randomChatModel({ name: `random-${index}`, memory })
      onTestFinished(close)
      return model
    }),
  )
}

describe('several models', () => {
  test('stay loaded together while their memory suffices', async () => {
    const [a, b] = await modelsOf(2, 120)
    await Promise.all([a!.load(), b!.load()])
    expect([a!.state().state, b!.state().state]).toEqual(['ready', 'ready'])
  })

  test('take turns where it does not: the one that was not used for longest is unloaded', async () => {
    const [a, b, c] = await modelsOf(3, 120)
    for (const model of [a!, b!, a!]) await collect(model.stream(chatRequest({ maxTokens: 3 }), open))
    expect((await collect(c!.stream(chatRequest({ maxTokens: 3 }), open))).reasons).toEqual(['length'])
    expect([a!, b!, c!].map((model) => model.state().state)).toEqual(['ready', 'asleep', 'ready'])
    expect((await collect(b!.stream(chatRequest({ maxTokens: 3 }), open))).reasons).toEqual(['length'])
  })
})

describe('a request for a model that has no room', () => {
  test('waits in line while others answer, with its position, and is answered when they are done', async () => {
    const [busy, next, later] = await modelsOf(3, 100)
    const answer = busy!.stream(chatRequest({ maxTokens: 400 }), open)
    await answer.next()
    const answers = [next!, later!].map((model) => collect(model.stream(chatRequest({ maxTokens: 3 }), open)))
    await vi.waitFor(() => {
      expect(next!.state()).toMatchObject({ state: 'queued', queuePosition: 1, activeRequests: 1 })
      expect(later!.state()).toMatchObject({ state: 'queued', queuePosition: 2 })
    })
    expect(busy!.state().state, 'an answer is not broken off').toBe('ready')
    await answer.return(undefined)
    for (const { reasons } of await Promise.all(answers)) expect(reasons).toEqual(['length'])
  })

  test('leaves the line when its reader leaves, and takes no memory from others then', async () => {
    const [busy, left] = await modelsOf(2, 100)
    const answer = busy!.stream(chatRequest({ maxTokens: 400 }), open)
    await answer.next()
    const leaving = new AbortController()
    const waiting = collect(left!.stream(chatRequest(), leaving.signal))
    await vi.waitFor(() => expect(left!.state().queuePosition).toBe(1))
    leaving.abort(new Error('gone'))
    await expect(waiting).rejects.toThrow('gone')
    await vi.waitFor(() => expect(left!.state()).toMatchObject({ state: 'asleep', activeRequests: 0 }))
    await answer.return(undefined)
    await vi.waitFor(() => expect(busy!.state().activeRequests).toBe(0))
    expect(busy!.state().state).toBe('ready')
  })
})
