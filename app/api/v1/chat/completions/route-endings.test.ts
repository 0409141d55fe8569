import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { chatStage, PRICE_OF_HELLO } from '@/app/api/v1/chat/completions/testing/stage'
import { beginStream, delta, sayHello, stop, USAGE } from '@/app/api/v1/chat/completions/testing/upstream'
import { usd } from '@/lib/contract/money'
import { log } from '@/lib/kernel/log'
import { resetPerProcess } from '@/lib/kernel/per-process'
import { balancesOf, settled } from '@/lib/services/ledger/ledger'

const stage = await chatStage()
const { upstream, call, streamed, spent } = stage

test('an upstream that breaks in mid-stream ends in one error frame, and what went out is charged', async () => {
  upstream.answer = async (_, response) => {
    const write = beginStream(response)
    for (const word of ['one', ' two']) write(delta(word))
    await sleep(50)
    response.destroy()
  }
  const { response, chunks, last } = await streamed()
  expect(response.status).toBe(200)
  expect(chunks.at(-1)).toMatchObject({ error: { type: expect.any(String), code: expect.any(String), param: null } })
  expect(last).toBe('[DONE]')
  expect(await spent()).toBeGreaterThan(0)
})

test('a count that cannot be true is not charged', async () => {
  upstream.answer = (_, response) => {
    const write = beginStream(response)
    write(delta('Hi'))
    write(stop)
    write({ choices: [], usage: { prompt_tokens: 1_000_000, completion_tokens: 9_000_000, total_tokens: 10_000_000 } })
    response.end('data: [DONE]\n\n')
  }
  const body = await (await call()).json()
  expect(body.usage.completion_tokens).toBe(1)
  expect(await spent()).toBeLessThan(0.001)
})

test.each([0, 1, 2, 5])('a reader that leaves after %d chunks ends the upstream and pays for those', async (reads) => {
  upstream.answer = async (_, response) => {
    const write = beginStream(response)
    for (let i = 0; i < 60 && !response.destroyed; i++) {
      write(delta(' tide'))
      await sleep(10)
    }
    response.end()
  }
  const reader = (await call({ stream: true })).body!.getReader()
  for (let i = 0; i < reads; i++) await reader.read()
  await reader.cancel()
  await expect.poll(() => upstream.left).toBe(1)
  const cost = await spent()
  expect(cost).toBeGreaterThan(0)
  expect(cost).toBeLessThan(PRICE_OF_HELLO * 5)
  expect((await balancesOf(stage.accountId)).USD).toBeGreaterThan(0n)
})

test('an answer ends where the credit ends, with a length and never below zero', async () => {
  upstream.answer = async (_, response) => {
    const write = beginStream(response)
    for (let i = 0; i < 9000 && !response.destroyed; i++) {
      write(delta('tide'))
      if (i % 100 === 0) await sleep(1)
    }
    write(stop)
    response.end()
  }
  const poor = await stage.openAccount(usd('0.10'))
  const { text } = await streamed({ model: 'long' }, { headers: { authorization: `Bearer ${poor.secret}` } })
  expect(text).toContain('"finish_reason":"length"')
  expect(text.match(/"content":"tide"/g)?.length).toBeLessThan(5200)
  await settled()
  const left = (await balancesOf(poor.accountId)).USD
  expect(left).toBeGreaterThanOrEqual(0n)
  expect(left).toBeLessThan(usd('0.02'))
  await expect.poll(() => upstream.left).toBe(1)
})

test('an answer that may come in one burst is asked for up to what the credit pays for', async () => {
  upstream.answer = (body, response) => {
    const write = beginStream(response)
    const tokens = Number(body.max_tokens)
    write(delta('tide'.repeat(tokens)))
    write({ choices: [{ index: 0, delta: {}, finish_reason: 'length' }] })
    const usage = { prompt_tokens: 20, completion_tokens: tokens, total_tokens: 20 + tokens }
    write({ choices: [], usage })
    response.end('data: [DONE]\n\n')
  }
  const poor = await stage.openAccount(usd('0.15'))
  const headers = { authorization: `Bearer ${poor.secret}` }
  const { chunks } = await streamed({ model: 'long' }, { headers })
  const { max_tokens: asked } = upstream.seen[0] as { max_tokens: number }
  expect(asked).toBeGreaterThan(7_000)
  expect(asked).toBeLessThan(7_500)
  expect(chunks.at(-1).usage.completion_tokens).toBe(asked)
  expect(chunks.at(-1).cost.usd).toBeCloseTo((20 + asked * 20) / 1e6, 9)
  const limited = await stage.openAccount(usd('5'), { keyLimit: usd('0.02') })
  await call({ model: 'long' }, { headers: { authorization: `Bearer ${limited.secret}` } })
  expect(upstream.seen[1]!.max_tokens).toBeLessThan(1_000)
})

test('a long answer takes more credit as it goes', async () => {
  upstream.answer = (_, response) => {
    const write = beginStream(response)
    for (let i = 0; i < 6000; i++) write(delta('tide'))
    write(stop)
    write({ choices: [], usage: { prompt_tokens: 20, completion_tokens: 6000, total_tokens: 6020 } })
    response.end('data: [DONE]\n\n')
  }
  const { chunks } = await streamed({ model: 'long' })
  expect(chunks.at(-1)).toMatchObject({ usage: { completion_tokens: 6000 }, cost: { usd: 0.12002 } })
  expect(await spent()).toBe(0.12002)
})

test('an answer that its first hold covers asks for no more, down to the last token', async () => {
  upstream.answer = (_, response) => {
    const write = beginStream(response)
    for (let i = 0; i < 4000; i++) write(delta('tide'))
    write({ choices: [{ index: 0, delta: {}, finish_reason: 'length' }] })
    write({ choices: [], usage: { prompt_tokens: 20, completion_tokens: 4000, total_tokens: 4020 } })
    response.end('data: [DONE]\n\n')
  }
  const exact = await stage.openAccount(usd('0.1'))
  const headers = { authorization: `Bearer ${exact.secret}` }
  const { chunks } = await streamed({ model: 'long', max_tokens: 4000 }, { headers })
  expect(chunks.filter((chunk) => chunk.choices[0]?.delta.content).length).toBe(4000)
  expect(chunks.at(-1)).toMatchObject({ cost: { usd: 0.08002 } })
})

/** 115,000 characters are about 25,000 tokens, and 33,000 by our estimate, of a context of 32,000. */
const long = { model: 'long', messages: [{ role: 'user', content: 'tide '.repeat(23_000) }] }

test('a bound of the caller reaches a server as it is, however full we believe the context to be', async () => {
  await call({ ...long, max_tokens: 2_000 })
  await call({ ...long, max_completion_tokens: 2_000, max_tokens: 1 })
  expect(upstream.seen).toMatchObject([{ max_tokens: 2_000 }, { max_tokens: 2_000 }])
})

test('without one a long prompt leaves it to the server what the context has room for', async () => {
  expect((await call(long)).status).toBe(200)
  expect(upstream.seen[0]).not.toHaveProperty('max_tokens')
  await call({ model: 'long' })
  expect(upstream.seen[1]).toMatchObject({ max_tokens: 10_000 })
})

const tooLong = (body: Record<string, unknown>, message: string, status = 400) => {
  upstream.answer = (asked, response) => {
    if (asked.max_tokens === undefined) return sayHello(asked, response)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }))
  }
  return call(body)
}

test.each([true, false])(
  'what a server says does not fit is a context overflow with its numbers; stream=%s',
  async (stream) => {
    const said = "This model's maximum context length is 32000 tokens. However, you requested 33000 tokens."
    for (const status of [400, 500]) {
      const response = await tooLong({ ...long, stream, max_tokens: 2_000 }, said, status)
      expect(response.status).toBe(400)
      const { error } = await response.json()
      expect(error).toMatchObject({ code: 'context_length_exceeded', type: 'invalid_request_error', param: 'messages' })
      expect(error.message).toContain('requested 33000 tokens')
    }
    expect(await spent()).toBe(0)
  },
)

const asJson = { response_format: { type: 'json_schema', json_schema: { name: 'city', schema: { type: 'object' } } } }
const saying = (text: string) => {
  upstream.answer = async (_, response) => {
    const write = beginStream(response)
    write(delta(text))
    // What is refused before the first byte has a status of its own.
    await sleep(50)
    write(stop)
    write({ choices: [], usage: USAGE })
    response.end('data: [DONE]\n\n')
  }
}

test('an answer that was to be JSON and is none is a failure, and costs nothing where it was not delivered', async () => {
  saying('Sure! Here it is: {"city": "Brest"}')
  const response = await call(asJson)
  expect(response.status).toBe(500)
  expect(await response.json()).toMatchObject({ code: 'INFERENCE_FAILED', error: expect.stringContaining('JSON') })
  expect(await spent()).toBe(0)
  const { chunks, last } = await streamed(asJson)
  expect(chunks.at(-1)).toMatchObject({ error: { code: 'INFERENCE_FAILED' } })
  expect(chunks.some((chunk) => chunk.choices?.[0]?.finish_reason)).toBe(false)
  expect(last).toBe('[DONE]')
})

test('JSON in a Markdown fence is given without it', async () => {
  saying('```json\n{"city": "Brest"}\n```')
  const body = await (await call(asJson)).json()
  expect(body.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: '{"city": "Brest"}' } })
})

test('a bound that nobody asked for is taken back where it does not fit', async () => {
  const response = await tooLong({ model: 'long' }, 'maximum context length is 12 tokens')
  expect(response.status).toBe(200)
  expect(response.headers.get('x-retry-count')).toBe('1')
  expect(upstream.seen).toHaveLength(2)
})

test('several choices are numbered, counted and charged together', async () => {
  upstream.answer = (_, response) => {
    const write = beginStream(response)
    for (const index of [1, 0])
      write({ choices: [{ index, delta: { content: `answer ${index}` }, finish_reason: 'stop' }] })
    write({ choices: [], usage: USAGE })
    response.end('data: [DONE]\n\n')
  }
  const body = await (await call({ n: 2 })).json()
  expect(upstream.seen[0]).toMatchObject({ n: 2 })
  expect(body.choices.map((choice: { message: { content: string } }) => choice.message.content)).toEqual([
    'answer 0',
    'answer 1',
  ])
  const { chunks } = await streamed({ n: 2 })
  expect(chunks.filter((chunk) => chunk.choices[0]?.delta.role).map((chunk) => chunk.choices[0].index)).toEqual([1, 0])
})

test('a client that leaves while its whole answer is made ends the upstream and pays nothing', async () => {
  upstream.answer = async (_, response) => {
    const write = beginStream(response)
    for (let i = 0; i < 100 && !response.destroyed; i++) {
      write(delta(' tide'))
      await sleep(5)
    }
    response.end()
  }
  const controller = new AbortController()
  const reply = call({}, { signal: controller.signal })
  await expect.poll(() => upstream.seen.length).toBe(1)
  await sleep(20)
  controller.abort()
  expect((await reply).status).toBeGreaterThanOrEqual(400)
  await expect.poll(() => upstream.left).toBe(1)
  expect(await spent()).toBe(0)
})

test('an answer of no words is an answer, and costs what its prompt took', async () => {
  upstream.answer = (_, response) => {
    const write = beginStream(response)
    write(stop)
    write({ choices: [], usage: { prompt_tokens: 20, completion_tokens: 0, total_tokens: 20 } })
    response.end('data: [DONE]\n\n')
  }
  const body = await (await call()).json()
  expect(body).toMatchObject({ choices: [{ message: { content: '' } }], cost: { usd: 0.00002 } })
  const { chunks } = await streamed()
  expect(chunks.at(-1)).toMatchObject({ cost: { usd: 0.00002 } })
})

test('forty answers at once are charged forty times, to the last nano-dollar', async () => {
  const responses = await Promise.all(Array.from({ length: 40 }, () => call({ model: 'free' }).then(() => call())))
  const bodies = await Promise.all(responses.map((response) => response.json()))
  expect(bodies.map((body) => body.cost?.usd ?? body)).toEqual(Array(40).fill(PRICE_OF_HELLO))
  expect(await spent()).toBeCloseTo(40 * PRICE_OF_HELLO, 9)
})

test.each([true, false])(
  'one huge delta is cut at the bound and delivered, and costs the bound; stream=%s',
  async (stream) => {
    upstream.answer = (_, response) => {
      const write = beginStream(response)
      write(delta('tide '.repeat(20_000)))
      write(stop)
      response.end('data: [DONE]\n\n')
    }
    // The line is written at most once a second, also for what another test provoked.
    resetPerProcess('sparing-log')
    const complained = vi.spyOn(log(), 'error').mockImplementation(() => {})
    const body = { max_tokens: 50 }
    const text = stream
      ? (await streamed(body)).chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')
      : (await (await call(body)).json()).choices[0].message.content
    expect(text.length).toBeGreaterThanOrEqual(50 * 4)
    expect(text.length).toBeLessThanOrEqual(50 * 8 + 64)
    // The prompt, and fifty tokens at 3 USD a million.
    expect(await spent()).toBeGreaterThanOrEqual(0.000_15)
    expect(await spent()).toBeLessThan(0.000_3)
    expect(JSON.stringify(complained.mock.calls)).toContain('does not keep the bound')
    complained.mockRestore()
  },
)
