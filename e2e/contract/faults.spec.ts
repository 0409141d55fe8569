import { expect, test } from '@/e2e/contract/shared-stage'
import { command } from '@/e2e/testing/admin-line'
import { ask, balanceOf, expectError, expectNoLeak } from '@/e2e/testing/ask'
import type { Stage } from '@/e2e/testing/contract-stage'
import { COST_NANO, SPOKEN } from '@/e2e/testing/contract-upstream'

const messages = [{ role: 'user', content: 'Hello' }]
const TEXT = SPOKEN.join('')
/** Far above what four tokens and a short prompt cost, far below what a mad count would. */
const A_LITTLE_NANO = 1_000_000n

let stage: Stage

test.beforeAll(({ shared }) => {
  stage = shared.stage
})

/** What an account was charged while `work` ran. */
async function chargedBy(key: string, work: () => Promise<unknown>): Promise<bigint> {
  const { before, cost } = await balanceOf(stage, key)
  await work()
  // A charge that ends with a broken connection comes a moment after it.
  await expect.poll(() => stage.upstream.streams.running).toBe(0)
  await new Promise((resolve) => setTimeout(resolve, 300))
  return before - cost - (await balanceOf(stage, key)).before
}

const BEFORE_THE_FIRST_BYTE: [model: string, status: number, code: string][] = [
  ['refusing', 503, 'MODEL_OFFLINE'],
  ['silent', 504, 'REQUEST_TIMEOUT'],
  ['reset', 500, 'INFERENCE_FAILED'],
  ['garbage', 500, 'INFERENCE_FAILED'],
  ['error-401', 500, 'INFERENCE_FAILED'],
  ['error-429', 429, 'MODEL_OVERLOADED'],
  ['error-500', 500, 'INFERENCE_FAILED'],
  ['error-503', 503, 'MODEL_OFFLINE'],
]

test('an upstream that fails at once: its own status, whole and streamed, and no charge', async () => {
  const key = await stage.newKey()
  const charged = await chargedBy(key, async () => {
    for (const [model, status, code] of BEFORE_THE_FIRST_BYTE) {
      for (const form of [{ stream: true }, { stream: false }, { stream: false, max_tokens: 100 }]) {
        await test.step(`${model}, ${JSON.stringify(form)}`, async () => {
          const answer = await ask(stage, key, { model, messages, ...form })
          expectError(answer, status, code)
          if (model === 'error-429') expect(answer.headers.get('retry-after')).toBe('7')
          if (status === 504) expect(answer.json.error).toContain('stream=true')
        })
      }
    }
  })
  expect(charged).toBe(0n)
})

const IN_THE_MIDDLE: [model: string, status: number, code: string][] = [
  ['reset-mid', 500, 'INFERENCE_FAILED'],
  ['silent-mid', 504, 'REQUEST_TIMEOUT'],
  ['garbage-mid', 500, 'INFERENCE_FAILED'],
  ['error-mid', 500, 'INFERENCE_FAILED'],
]

for (const [model, status, code] of IN_THE_MIDDLE) {
  test(`${model}: a stream ends with one error frame and is charged for what came`, async () => {
    const key = await stage.newKey()
    const charged = await chargedBy(key, async () => {
      const answer = await ask(stage, key, { model, messages, stream: true })
      expect(answer.status).toBe(200)
      const frames = answer.text.split('\n\n').filter(Boolean)
      expect(frames.at(-1)).toBe('data: [DONE]')
      const chunks = frames.slice(0, -1).map((frame) => JSON.parse(frame.slice('data: '.length)))
      expect(chunks.map((chunk) => chunk.choices?.[0]?.delta.content ?? '').join('')).toBe(TEXT)
      expect(chunks.filter((chunk) => chunk.error)).toHaveLength(1)
      expect(chunks.at(-1).error).toMatchObject({
        message: expect.any(String),
        type: 'server_error',
        code,
        param: null,
      })
    })
    expect(charged).toBeGreaterThan(0n)
    expect(charged).toBeLessThan(A_LITTLE_NANO)
  })

  test(`${model}: an answer that should come whole fails and costs nothing`, async () => {
    const key = await stage.newKey()
    const charged = await chargedBy(key, async () => {
      for (const bound of [{}, { max_tokens: 100 }]) {
        expectError(await ask(stage, key, { model, messages, ...bound }), status, code)
      }
    })
    expect(charged).toBe(0n)
  })
}

const STRANGE = ['no-end', 'no-usage', 'usage-huge', 'usage-negative', 'usage-words', 'usage-fraction']

for (const model of STRANGE) {
  test(`${model}: a strange but complete answer is delivered, and charged by what was seen`, async () => {
    const key = await stage.newKey()
    for (const form of [{ stream: true }, { stream: false }, { stream: false, max_tokens: 100 }]) {
      const charged = await chargedBy(key, async () => {
        const answer = await ask(stage, key, { model, messages, ...form })
        expect(answer.status).toBe(200)
        if (form.stream) expect(answer.text).toMatch(/data: \[DONE\]\n\n$/)
        else expect(answer.json.choices).toMatchObject([{ message: { content: TEXT } }])
      })
      expect(charged).toBeGreaterThan(0n)
      expect(charged).toBeLessThan(A_LITTLE_NANO)
    }
  })
}

test('afterwards the books are right, the server serves, and its log holds no secret and no prompt', async () => {
  const key = await stage.newKey()
  const marker = 'the-prompt-that-no-log-may-hold'
  const { status } = await ask(stage, key, { model: 'error-500', messages: [{ role: 'user', content: marker }] })
  expect(status).toBe(500)
  expect((await balanceOf(stage, key)).cost).toBe(COST_NANO)
  await command(stage.dataDir, 'ledger', 'check')
  const log = await stage.log()
  expect(log).not.toContain(marker)
  expect(log).not.toContain(key)
  expect(log).not.toContain('unexpected error')
  expect(log).not.toContain('uncaught')
  for (const line of log.split('\n')) if (line.includes('"msg"')) expectNoLeakInLog(line)
})

/** A log may say where in the code something failed; it may hold no secret. */
function expectNoLeakInLog(line: string): void {
  const { err: _, ...rest } = JSON.parse(line) as Record<string, unknown>
  expectNoLeak(JSON.stringify({ ...rest, code: undefined, cause: undefined }))
}
