import { describe, expect, test } from 'vitest'
import { usd } from '@/lib/contract/money'
import { byteStream, Chunks, replyHeaders } from '@/lib/pipeline/reply'
import { testContext } from '@/lib/services/identity/testing'

const chunk = (text: string) => new TextEncoder().encode(text)

async function* three() {
  yield chunk('a')
  yield chunk('b')
  yield chunk('c')
}

function watched(source: AsyncIterable<Uint8Array>) {
  const ends: string[] = []
  const chunks = new Chunks(source, (end) => ends.push(end))
  return { ends, chunks, stream: byteStream(chunks) }
}

test('a stream that is read to its end is done once', async () => {
  const { ends, stream } = watched(three())
  expect(await new Response(stream).text()).toBe('abc')
  expect(ends).toEqual(['finished'])
})

test('a reader that never reads is told as one that left', async () => {
  const { ends, stream } = watched(three())
  await stream.cancel()
  expect(ends).toEqual(['left'])
})

test('a reader that leaves in the middle ends the source', async () => {
  let isClosed = false
  const { ends, stream } = watched(
    (async function* () {
      try {
        while (true) yield chunk('x')
      } finally {
        isClosed = true
      }
    })(),
  )
  const reader = stream.getReader()
  await reader.read()
  await reader.cancel()
  expect(ends).toEqual(['left'])
  expect(isClosed).toBe(true)
})

test('a source that breaks is told as failed, and the reader hears it', async () => {
  const { ends, stream } = watched(
    // biome-ignore lint/correctness/useYield: a source that breaks before its first chunk
    (async function* (): AsyncGenerator<Uint8Array> {
      throw new Error('broken')
    })(),
  )
  await expect(new Response(stream).text()).rejects.toThrow('broken')
  expect(ends).toEqual(['failed'])
})

test('nothing is made before somebody reads, and one chunk at a time after', async () => {
  let made = 0
  const { stream } = watched(
    (async function* () {
      while (true) {
        made++
        yield chunk('x')
      }
    })(),
  )
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect(made).toBe(0)
  await stream.getReader().read()
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect(made).toBe(1)
})

describe('a payment that came with the request', () => {
  test('has its result on the reply', () => {
    const context = testContext({ headers: { 'payment-signature': 'e30=' } })
    context.facts.paymentResponse = 'eyJzdWNjZXNzIjp0cnVlfQ=='
    const headers = replyHeaders(context)
    expect(headers['PAYMENT-RESPONSE']).toBe('eyJzdWNjZXNzIjp0cnVlfQ==')
    expect(headers).not.toHaveProperty('X-PAYMENT-RESPONSE')
  })

  test('has it under the name of version 1 too, when it came under that', () => {
    const context = testContext({ headers: { 'x-payment': 'e30=' } })
    context.facts.paymentResponse = 'eyJzdWNjZXNzIjp0cnVlfQ=='
    expect(replyHeaders(context)).toMatchObject({
      'PAYMENT-RESPONSE': 'eyJzdWNjZXNzIjp0cnVlfQ==',
      'X-PAYMENT-RESPONSE': 'eyJzdWNjZXNzIjp0cnVlfQ==',
    })
  })

  test('that was not settled has none', () => {
    const headers = replyHeaders(testContext({ headers: { 'x-payment': 'e30=' } }))
    expect(Object.keys(headers).join()).not.toMatch(/payment-response/i)
  })
})

test('what remains has six decimals and is never rounded up', () => {
  const context = testContext()
  context.facts.balanceRemaining = usd('4.229999999')
  expect(replyHeaders(context)['X-Balance-Remaining']).toBe('4.229999')
})
