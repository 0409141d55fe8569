import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import OpenAI, { APIError } from 'openai'
import { expect, test } from '@/e2e/contract/shared-stage'
import type { Stage } from '@/e2e/testing/contract-stage'

/** Each client sends more than is taken, and must read the answer instead of a broken connection. */

const PYTHON = '/usr/bin/python3'
const ROUNDS = 3
const JSON_BYTES = 40_000_000
const FILE_BYTES = 30_000_000
const messages = [{ role: 'user' as const, content: 'a'.repeat(JSON_BYTES) }]
const file = () => new File([new Uint8Array(FILE_BYTES)], 'a.wav', { type: 'audio/wav' })

let stage: Stage
let key: string

test.beforeAll(async ({ shared }) => {
  stage = shared.stage
  key = await stage.newKey()
})

const recording = () => {
  const form = new FormData()
  form.append('file', file())
  return form
}

test('fetch reads 413, for JSON and for a form', async () => {
  const authorization = `Bearer ${key}`
  for (let round = 0; round < ROUNDS; round++) {
    const replies = [
      await fetch(`${stage.baseUrl}/chat/completions`, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'say', messages }),
      }),
      await fetch(`${stage.baseUrl}/audio/transcriptions`, {
        method: 'POST',
        headers: { authorization },
        body: recording(),
      }),
    ]
    for (const reply of replies) {
      expect(reply.status).toBe(413)
      expect(await reply.json()).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', error: expect.any(String) })
    }
  }
})

test('fetch reads why it was not let in while it was sending', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    for (const [headers, status] of [
      [{}, 402],
      [{ authorization: 'Bearer nobody' }, 401],
    ] as const) {
      const reply = await fetch(`${stage.baseUrl}/audio/transcriptions`, {
        method: 'POST',
        headers: { ...headers },
        body: recording(),
      })
      expect(reply.status).toBe(status)
      expect(await reply.json()).toMatchObject({ error: expect.any(String) })
    }
  }
})

test("OpenAI's client reads 413, for JSON and for a form", async () => {
  const client = new OpenAI({ baseURL: stage.baseUrl, apiKey: key, maxRetries: 0 })
  for (let round = 0; round < ROUNDS; round++) {
    for (const ask of [
      () => client.chat.completions.create({ model: 'say', messages }),
      () => client.audio.transcriptions.create({ model: 'say', file: file() }),
    ]) {
      const error = await ask().then(
        () => undefined,
        (error: unknown) => error,
      )
      expect(error).toBeInstanceOf(APIError)
      // The client reads a code only where the error is an object, which here it is not.
      expect(error).toMatchObject({ status: 413, message: expect.stringContaining('The body is larger than') })
    }
  }
})

const URLLIB = `
import json, sys, urllib.request, urllib.error
base, key = sys.argv[1:]
def send(path, body, kind):
    headers = {'authorization': 'Bearer ' + key, 'content-type': kind}
    try:
        urllib.request.urlopen(urllib.request.Request(base + path, body, headers), timeout=60)
    except urllib.error.HTTPError as error:
        print(error.code, json.load(error)['code'])
send('/chat/completions', json.dumps({'model': 'say', 'messages': [{'role': 'user', 'content': 'a' * ${JSON_BYTES}}]}).encode(), 'application/json')
send('/audio/transcriptions', b'--x\\r\\ncontent-disposition: form-data; name="file"; filename="a.wav"\\r\\n\\r\\n' + b'a' * ${FILE_BYTES} + b'\\r\\n--x--\\r\\n', 'multipart/form-data; boundary=x')
`

test('Python reads 413 when it has sent everything', async () => {
  test.skip(!existsSync(PYTHON), 'there is no Python on this machine')
  for (let round = 0; round < ROUNDS; round++) {
    const { stdout } = await promisify(execFile)(PYTHON, ['-c', URLLIB, stage.baseUrl, key], {
      // A proxy of the environment is none of this test's.
      env: { ...process.env, no_proxy: '*' },
    })
    expect(stdout.trim().split('\n')).toEqual(['413 PAYLOAD_TOO_LARGE', '413 PAYLOAD_TOO_LARGE'])
  }
})
