import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { chatStage, PRICE_OF_HELLO } from '@/app/api/v1/chat/completions/testing/stage'
import { sayHello, USAGE } from '@/app/api/v1/chat/completions/testing/upstream'

const { upstream, call, streamed, spent } = await chatStage()

const LOGPROBS = [null, { 9906: { logprob: -2.5, rank: 3, decoded_token: 'Hi' } }]

/** As vLLM: one JSON object, and a refusal of what it does not do in a stream. */
function tell(body: Record<string, unknown>, response: ServerResponse): void {
  const isRefused = body.stream === true && body.prompt_logprobs !== undefined
  response.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/json' }).end(
    JSON.stringify(
      isRefused
        ? { error: { message: '`prompt_logprobs` are not available when `stream=True`.' } }
        : {
            id: 'chatcmpl-1',
            object: 'chat.completion',
            choices: [
              { index: 0, message: { role: 'assistant', content: 'Hello there friend' }, finish_reason: 'stop' },
            ],
            usage: USAGE,
            prompt_logprobs: LOGPROBS,
          },
    ),
  )
}

test('prompt log probabilities come as the server reports them, and the answer costs what it costs', async () => {
  upstream.answer = tell
  const response = await call({ prompt_logprobs: 1 })
  expect(response.status).toBe(200)
  const body = await response.json()
  expect(body.prompt_logprobs).toEqual(LOGPROBS)
  expect(body.choices[0].message.content).toBe('Hello there friend')
  expect(upstream.seen[0]).toMatchObject({ stream: false, prompt_logprobs: 1 })
  expect(upstream.seen[0]).not.toHaveProperty('stream_options')
  expect(await spent()).toBe(PRICE_OF_HELLO)
})

test('they are null where the server reports none, and absent where nobody asked', async () => {
  expect((await (await call({ prompt_logprobs: 0 })).json()).prompt_logprobs).toBeNull()
  expect(await (await call()).json()).not.toHaveProperty('prompt_logprobs')
})

test('a stream has no place for them: it is asked for without', async () => {
  upstream.answer = (body, response) => {
    if (body.prompt_logprobs === undefined) sayHello(body, response)
    else tell(body, response)
  }
  const { response, text } = await streamed({ prompt_logprobs: 1 })
  expect(response.status).toBe(200)
  expect(text).toContain('Hello')
  expect(upstream.seen[0]).not.toHaveProperty('prompt_logprobs')
})

test('at most twenty alternatives are asked for, and what is no number is refused', async () => {
  await call({ prompt_logprobs: 500 })
  expect(upstream.seen[0]).toMatchObject({ prompt_logprobs: 20 })
  for (const value of [-1, 1.5, '1', true]) expect((await call({ prompt_logprobs: value })).status).toBe(400)
})
