import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { ConnectedProvider } from '@/lib/contract/providers'
import { testDatabase } from '@/lib/db/testing'
import { setEnvironment } from '@/lib/services/identity/testing'
import {
  chatAnswer,
  OPENROUTER_MODELS,
  startVendor,
  type Vendor,
  withKey,
} from '@/lib/services/models/providers/testing/vendors'
import { joinAnswers } from '@/server/admin/command'
import { commandOf, readSecretOf, runAdmin } from '@/server/admin/run'

const database = await testDatabase()
setEnvironment({ EMBEDDED_MODELS: 'off', LOCAL_ENGINES: 'off' })
const KEY = 'sk-or-v1-0123456789'
let vendor: Vendor
let address = ''

beforeAll(async () => {
  vendor = await startVendor({
    'GET /api/v1/models': withKey(KEY, OPENROUTER_MODELS),
    'POST /api/v1/chat/completions': chatAnswer,
  })
  address = `${vendor.origin}/api/v1`
})
afterAll(() => vendor.close())
beforeEach(() => database.query('delete from provider'))

const run = (line: string, key?: string) => runAdmin(['providers', ...line.split(' ')], key)

test('providers add, list and remove', async () => {
  const added = await run(`add ${address} --name router --models qwen/qwen3-coder --margin 25`, KEY)
  expect(added).toMatchObject({ exitCode: 0 })
  expect(added.output).toContain('router/qwen/qwen3-coder: 0.25 / 1.0625 USD per million tokens')
  expect((added.json as { provider: ConnectedProvider }).provider).toMatchObject({ name: 'router', marginPercent: 25 })
  const listed = await run('list')
  expect(listed.output).toMatch(/router +http:.* +…6789 +1 +live/)
  expect(JSON.stringify([added, listed])).not.toContain(KEY)
  expect(await run('remove router')).toMatchObject({ exitCode: 0 })
  expect((await run('list')).output).toBe('No providers are connected.')
  expect(await run('remove router')).toMatchObject({ exitCode: 1 })
})

test('prices of the line come before the provider’s, and free is said', async () => {
  const paid = await run(`add ${address} --models openrouter/auto --input 1 --output 2.5`, KEY)
  expect(paid.output).toContain('openrouter/auto: 1 / 2.5 USD per million tokens')
  const free = await run(`add ${address} --models qwen/qwen3-coder --free`, KEY)
  expect(free.output).toContain('qwen/qwen3-coder: free')
})

test.each([
  ['add', undefined, 2, 'Presets: openai, anthropic, google'],
  ['add ADDRESS --models nothing', KEY, 1, 'The server has no model nothing. It has: qwen/qwen3-coder'],
  ['add ADDRESS --margin many', KEY, 2, '--margin'],
  ['add ADDRESS --input free', KEY, 2, 'not an amount of dollars'],
  ['add ADDRESS', 'sk-wrong', 1, 'The server refused the key.'],
  ['add ADDRESS', undefined, 1, 'The server needs a key.'],
  ['add http://127.0.0.1:9', undefined, 1, 'cannot be reached'],
  ['add ADDRESS --models nothing --unlisted song', KEY, 2, '--unlisted: song: one of text'],
  ['add ADDRESS --models film --unlisted video', KEY, 2, 'Set --second USD, or --free'],
  ['add ADDRESS --models film --unlisted video --second 0.05', KEY, 1, 'the lengths of its videos are missing'],
  ['add ADDRESS --models film --unlisted video --second 0 --lengths 4', KEY, 1, 'a second of video is 0'],
  ['add ADDRESS --models film --unlisted video --second 1000000 --lengths 4', KEY, 1, 'is above 1000 USD'],
  ['add ADDRESS --models film --unlisted video --second 1 --lengths long', KEY, 2, '--lengths: long: whole seconds'],
  ['add ADDRESS --unlisted text', KEY, 2, 'name the models with --models'],
  ['remove', undefined, 2, 'NAME is missing'],
])('providers %s with key %s exits with %i', async (line, key, exitCode, sentence) => {
  const answer = await run(line.replace('ADDRESS', address), key)
  expect(answer).toMatchObject({ exitCode, output: expect.stringContaining(sentence) })
})

test('the key is read where the command is typed, from the variable that it names', async () => {
  process.env.TEST_PROVIDER_KEY = ` ${KEY}\n`
  expect(await readSecretOf(['providers', 'add', 'openai', '--key-env', 'TEST_PROVIDER_KEY'])).toEqual({ secret: KEY })
  delete process.env.TEST_PROVIDER_KEY
  expect(await readSecretOf(['providers', 'add', 'openai', '--key-env', 'TEST_PROVIDER_KEY'])).toMatchObject({
    exitCode: 2,
    output: expect.stringContaining('TEST_PROVIDER_KEY is not set'),
  })
  expect(await readSecretOf(['providers', 'add', 'ollama'])).toEqual({})
  expect(await readSecretOf(['keys', 'list'])).toEqual({})
})

test('models default lists, chooses and resets the defaults, without a server that runs', async () => {
  await run(`add ${address} --name router --models qwen/qwen3-coder,openrouter/auto --free`, KEY)
  const defaults = (...args: string[]) => runAdmin(['models', 'default', ...args])
  const before = (await defaults()).json as { defaults: { id: string }[] }
  const other = ['router/qwen/qwen3-coder', 'router/openrouter/auto'].find((id) => id !== before.defaults[0]!.id)!
  expect(await defaults(other)).toMatchObject({ exitCode: 0, output: `${other} is the default of type text now.` })
  expect((await defaults()).output).toMatch(new RegExp(`text +${other} +chosen`))
  expect(await defaults('--reset')).toMatchObject({ json: before })
  expect(await defaults('nobody')).toMatchObject({ exitCode: 1, output: 'There is no model nobody.' })
  expect(await defaults('nobody', '--reset')).toMatchObject({ exitCode: 2 })
})

test('models that a server does not list are connected by name, with or without a list', async () => {
  const added = await run(
    `add ${address} --models qwen/qwen3-coder,secret --unlisted embedding --input 1 --output 2`,
    KEY,
  )
  expect(added.output).toContain('/qwen/qwen3-coder: 1 / 2 USD')
  expect(added.output).toContain('/secret: 1 USD per million tokens')
  const heard = await run(`add ${address} --models ear --unlisted asr --second 0.0002`, KEY)
  expect(heard.output).toContain('/ear: 0.0002 USD a second of audio')
  const spoken = await run(`add ${address} --models mouth --unlisted tts --input 18`, KEY)
  expect(spoken.output).toContain('/mouth: 18 USD per million characters')
  const seen = await run(`add ${address} --models film --unlisted video --second 0.05 --lengths 4,8`, KEY)
  expect(seen.output).toContain('/film: 0.05 USD a second of video')
  const bare = await startVendor({ 'POST /v1/chat/completions': chatAnswer })
  expect(await run(`add ${bare.origin}/v1 --name bare --models m`)).toMatchObject({ exitCode: 1 })
  const unlisted = await run(`add ${bare.origin}/v1 --name bare --models m --unlisted text --free`)
  expect(unlisted.output).toContain('bare/m: free')
  await bare.close()
})

test('providers check calls what is connected, with its key, and tells what is refused', async () => {
  await run(`add ${address} --name router --models qwen/qwen3-coder --free`, KEY)
  expect(await run('check')).toMatchObject({
    exitCode: 0,
    output: expect.stringMatching(/^provider:router: answered in \d+ ms \(text, router\/qwen\/qwen3-coder\)$/),
  })
  expect(vendor.requests.at(-1)!.headers.authorization).toBe(`Bearer ${KEY}`)
  await run(`add ${vendor.origin}/v1 --name gone --models m --unlisted text --free --no-try`, KEY)
  const checked = await run('check')
  expect(checked.exitCode).toBe(1)
  expect(checked.output).toContain('provider:router: answered')
  expect(checked.output).toMatch(/provider:gone: failed after \d+ ms \(text, gone\/m\): ./)
})

test('models check includes connected providers, unless a file is named', () => {
  const further = (line: string) => commandOf(line.split(' '))?.alsoRuns?.(line.split(' '))
  expect(further('models check')).toEqual(['providers', 'check'])
  expect(further('models check --json')).toEqual(['providers', 'check', '--json'])
  expect(further('models check models.yaml')).toBeUndefined()
  expect(further('models check --help')).toBeUndefined()
  const one = { exitCode: 0, output: '2 models.', json: { models: [] } }
  expect(joinAnswers(one, { exitCode: 1, output: '', json: { providers: [] } })).toEqual({
    exitCode: 1,
    output: '2 models.',
    json: { models: [], providers: [] },
  })
})
