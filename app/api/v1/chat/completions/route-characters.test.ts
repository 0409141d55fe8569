import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { SERVICE_SYSTEM_PROMPT } from '@/lib/endpoints/chat/engine-request'

const folder = await mkdtemp(path.join(tmpdir(), 'chat-characters-'))
const charactersFile = path.join(folder, 'characters.json')
await writeFile(
  charactersFile,
  JSON.stringify({
    characters: [
      {
        slug: 'keeper',
        name: 'Keeper',
        prompt: 'You are {{char}}, who keeps the light.',
        context: [
          { role: 'user', content: 'Who is there?' },
          { role: 'assistant', content: 'The {{char}}.' },
        ],
      },
      { slug: 'pirate', name: 'Pirate', prompt: 'You are a pirate.', replacesServicePrompt: true },
    ],
  }),
)
const stage = await chatStage({ settings: { CHARACTERS_FILE: charactersFile } })
const { upstream, call, spent } = stage
afterAll(() => rm(folder, { recursive: true }))

const KEEPER = 'You are Keeper, who keeps the light.'
const CONTEXT = [
  { role: 'user', content: 'Who is there?' },
  { role: 'assistant', content: 'The Keeper.' },
]
const HI = { role: 'user', content: 'Hi' }
const RULE = { role: 'system', content: 'Be brief.' }

async function promptWith(parameters: Record<string, unknown>, messages: object[] = [HI], model = 'atlas') {
  const response = await call({ model, messages, service_parameters: parameters })
  expect(response.status).toBe(200)
  const body = await response.json()
  return { messages: upstream.seen.at(-1)!.messages, model: body.model, echo: body.service_parameters }
}

test('the service speaks first, then the character, then the caller; the character’s talk comes before theirs', async () => {
  const { messages, model, echo } = await promptWith({ character_slug: 'keeper' }, [RULE, HI])
  expect(messages).toEqual([
    { role: 'system', content: `${SERVICE_SYSTEM_PROMPT}\n\n${KEEPER}\n\nBe brief.` },
    ...CONTEXT,
    HI,
  ])
  expect([model, echo.character_slug]).toEqual(['atlas', 'keeper'])
})

test('without the service’s prompt the character still speaks', async () => {
  const parameters = { character_slug: 'keeper', include_service_system_prompt: false }
  expect((await promptWith(parameters)).messages).toEqual([{ role: 'system', content: KEEPER }, ...CONTEXT, HI])
})

test('a character with a prompt of its own kind does without the service’s', async () => {
  expect((await promptWith({ character_slug: 'pirate' }, [RULE, HI])).messages).toEqual([
    { role: 'system', content: 'You are a pirate.\n\nBe brief.' },
    HI,
  ])
})

test('a name’s suffix chooses the character over the body', async () => {
  const { messages } = await promptWith({ character_slug: 'keeper' }, [HI], 'atlas:character_slug=pirate')
  expect(messages).toEqual([{ role: 'system', content: 'You are a pirate.' }, HI])
})

test.each(['nobody', '../etc', '00000000-0000-4000-8000-000000000000', 'x'.repeat(200)])(
  'there is no character %s',
  async (slug) => {
    const response = await call({ service_parameters: { character_slug: slug } })
    expect([response.status, (await response.json()).code]).toEqual([404, 'CHARACTER_NOT_FOUND'])
    expect(upstream.seen).toEqual([])
    expect(await spent()).toBe(0)
  },
)

test('a character’s words are part of the prompt that is counted', async () => {
  const used = async (parameters: Record<string, unknown>) => {
    upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(
        'data: {"choices":[{"index":0,"delta":{"content":"Aye"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
      )
    }
    return (await (await call({ service_parameters: parameters })).json()).usage.prompt_tokens
  }
  expect(await used({ character_slug: 'keeper' })).toBeGreaterThan((await used({})) + 10)
})

test('the prompt of a character is not spelled out as log probabilities', async () => {
  const response = await call({ prompt_logprobs: 1, service_parameters: { character_slug: 'keeper' } })
  expect((await response.json()).prompt_logprobs).toBeNull()
  expect(upstream.seen[0]).not.toHaveProperty('prompt_logprobs')
})
