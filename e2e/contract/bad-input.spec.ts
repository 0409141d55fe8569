import { expect, test } from '@/e2e/contract/shared-stage'
import { command } from '@/e2e/testing/admin-line'
import { ask, balanceOf, expectError } from '@/e2e/testing/ask'
import type { Stage } from '@/e2e/testing/contract-stage'

const messages = [{ role: 'user', content: 'Hello' }]
const valid = { model: 'say', messages }
const FIVE = 5_000_000_000n

let stage: Stage
let key: string

test.beforeAll(async ({ shared }) => {
  stage = shared.stage
  key = await stage.newKey()
})

test.describe('a body that is no request', () => {
  const latin1 = Uint8Array.from([...'{"model":"say","x":"'].map((c) => c.charCodeAt(0)).concat(0xff, 0xfe, 0x22, 0x7d))
  const utf16 = new Uint8Array(Buffer.from(JSON.stringify(valid), 'utf16le'))
  const BODIES: [what: string, body: string | Uint8Array][] = [
    ['nothing', ''],
    ['half of an object', '{"model":"say","messages":['],
    ['a list', '[]'],
    ['null', 'null'],
    ['a string', '"say"'],
    ['two objects', '{}{}'],
    ['single quotes', "{'model':'say'}"],
    ['bytes that are not UTF-8', latin1],
    ['UTF-16', utf16],
    ['100,000 open brackets', '['.repeat(100_000)],
    ['65 levels of an unknown field', `{"model":"say","x":${'['.repeat(65)}${']'.repeat(65)}}`],
    ['3 million small objects', `[${'{},'.repeat(3_000_000)}{}]`],
    ['10,000 messages', JSON.stringify({ model: 'say', messages: Array(10_000).fill(messages[0]) })],
  ]
  for (const [what, body] of BODIES) {
    test(`${what}: 400`, async () => {
      expectError(await ask(stage, key, body), 400, 'INVALID_REQUEST')
    })
  }

  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']) {
    test(`content type ${type || '(none)'}: 415`, async () => {
      expectError(await ask(stage, key, JSON.stringify(valid), { 'content-type': type }), 415, 'INVALID_CONTENT_TYPE')
    })
  }
})

test.describe('a field that is wrong', () => {
  const FIELDS: [field: string, more: object][] = [
    ['messages', { messages: 'hello' }],
    ['messages', { messages: [] }],
    ['messages', { messages: null }],
    ['messages', { messages: [{ role: 'robot', content: 'x' }] }],
    ['messages', { messages: [{ role: 'user', content: 7 }] }],
    ['messages', { messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] }],
    [
      'messages',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'http://10.0.0.1/x.png' } }] }] },
    ],
    ['model', { model: 7 }],
    ['model', { model: null }],
    ['stream', { stream: 'yes' }],
    ['temperature', { temperature: '1' }],
    ['temperature', { temperature: 2.1 }],
    ['temperature', { temperature: -1e308 }],
    ['n', { n: 0 }],
    ['n', { n: 1e9 }],
    ['n', { n: 1.5 }],
    ['max_completion_tokens', { max_completion_tokens: 1e300 }],
    ['max_completion_tokens', { max_completion_tokens: -1 }],
    ['top_logprobs', { logprobs: true, top_logprobs: -1 }],
    ['stop', { stop: Array(5).fill('x') }],
    ['tools', { tools: Array(300).fill({ type: 'function', function: { name: 'f' } }) }],
    ['service_parameters', { service_parameters: { enable_web_search: 'perhaps' } }],
    ['service_parameters', { service_parameters: { character_slug: '' } }],
    ['service_parameters', { service_parameters: [] }],
    ['reasoning_effort', { reasoning_effort: 'high' }],
    ['min_temp', { min_temp: 2, max_temp: 1 }],
  ]
  for (const [index, [field, more]] of FIELDS.entries()) {
    test(`${index + 1}. ${JSON.stringify(more).slice(0, 100)}: 400 that names ${field}`, async () => {
      const answer = await ask(stage, key, { ...valid, ...more })
      expectError(answer, 400, 'INVALID_REQUEST')
      expect(Object.keys(answer.json.details as object)).toContain(field)
      expect((answer.json.issues as { path: string[] }[])[0]?.path[0]).toBe(field)
    })
  }

  test('a model that is missing: 400; unknown fields: taken', async () => {
    expectError(await ask(stage, key, { messages }), 400, 'INVALID_REQUEST')
    // `__proto__` as JSON has it: a field like any other.
    const strange = `{"model":"no-such","messages":[{"role":"user","content":"x"}],"__proto__":{"model":"say"},"base_url":"http://127.0.0.1:1"}`
    expectError(await ask(stage, key, strange), 404, 'MODEL_NOT_FOUND')
  })
})

test.describe('a model that is none', () => {
  const NAMES: [what: string, name: string][] = [
    ['unknown', 'no-such-model'],
    ['header injection', 'say\r\nx-injected: yes\r\n\r\n<html>'],
    ['emoji', '🌊🌊'],
    ['100 KB', 'a'.repeat(100_000)],
    ['a path', '../../etc/passwd'],
    ['a prototype', '__proto__'],
    ['a constructor', 'constructor'],
    ['a NUL', 'say\u0000'],
    ['right-to-left', '\u202eyas'],
    ['a lone surrogate', '\ud800'],
    ['markup', '<script>alert(1)</script>'],
  ]
  for (const [what, name] of NAMES) {
    test(`${what}: 404, and nothing of it in a header`, async () => {
      const answer = await ask(stage, key, { model: name, messages })
      expectError(answer, 404, 'MODEL_NOT_FOUND')
      expect(answer.headers.has('x-injected')).toBe(false)
      expect(answer.headers.has('x-service-model-id')).toBe(false)
      expect(answer.text.length).toBeLessThan(1_000)
    })
  }

  test('a suffix with a bad value: 400; a broken escape: 400', async () => {
    for (const suffix of ['enable_web_search=perhaps', 'strip_thinking_response=%E0%A4%A']) {
      expectError(await ask(stage, key, { model: `say:${suffix}`, messages }), 400, 'INVALID_REQUEST')
    }
  })
})

test.describe('a key that is none', () => {
  const HEADERS = [
    'Bearer',
    'Bearer ',
    'Bearer SERVICE_INFERENCE_KEY_',
    'Bearer SERVICE_INFERENCE_KEY_0000000000000000000000000000000000000000',
    `Bearer ${'k'.repeat(10_000)}`,
    "Bearer ' or 1=1 --",
    'Bearer "); drop table account; --',
    'Bearer %00',
    'Bearer \u00ff\u00fe',
    'Basic dXNlcjpwYXNz',
    'Bearer a, Bearer b',
  ]
  for (const authorization of HEADERS) {
    test(`${authorization.slice(0, 50)}: 401`, async () => {
      expectError(await ask(stage, undefined, valid, { authorization }), 401, 'AUTHENTICATION_FAILED')
    })
  }
})

test('none of it was charged, and none of it surprised the server', async () => {
  const { before } = await balanceOf(stage, key)
  expect(before).toBe(FIVE)
  await command(stage.dataDir, 'ledger', 'check')
  const log = await stage.log()
  expect(log).not.toContain('unexpected error')
  expect(log).not.toContain('uncaught')
})
