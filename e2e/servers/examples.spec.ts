import { command } from '@/e2e/testing/admin-line'
import { openStage, type Stage } from '@/e2e/testing/contract-stage'
import { expect, test } from '@/e2e/testing/contract-test'
import { type LocalSite, startLocalSite } from '@/e2e/testing/local-site'
import { GROUPS } from '@/lib/endpoints/docs/openapi/document'

/** The examples of requests in the interface description, sent as they are to a server without a models file. */

const REQUEST_MS = 180_000
const ALL_MS = 600_000
/** What no model of the profile `lean` can do: docs/image-api.md. */
const ABSENT: Record<string, number> = {
  'POST /image/generate': 404,
  'POST /images/generations': 404,
  'POST /image/edit': 404,
  'POST /image/multi-edit': 404,
  'POST /image/background-remove': 503,
}

let stage: Stage
let site: LocalSite
let key: string
/** In place of the ids in examples, which name what is nowhere. */
const made: Record<string, string> = {}

test.describe.configure({ timeout: ALL_MS })
test.beforeAll(async () => {
  test.setTimeout(180_000)
  site = await startLocalSite()
  stage = await openStage(
    {},
    { MODELS_FILE: '', EMBEDDED_MODELS: 'lean', SEARCH_PROVIDER: 'searxng', SEARCH_URL: site.origin },
  )
  const printed = await command(
    stage.dataDir,
    ...['keys', 'create', '--name', 'examples', '--type', 'ADMIN', '--credit', '100'],
  )
  key = printed.split('\n').at(-1)!
})
test.afterAll(async () => {
  await stage?.stop()
  await site?.close()
})

/** They hold a signature or an address that nobody answers at: a copy of them is refused wherever it is sent. */
const NOT_TO_COPY = ['POST /api_keys/generate_web3_key', 'POST /augment/scrape', 'POST /video/transcriptions']

const EXAMPLES = GROUPS.flatMap(({ operations }) => Object.entries(operations)).flatMap(([place, { body, path }]) => {
  const address = place.replace(/\{(\w+)\}/g, (_, name: string) => path?.[name]?.example ?? '')
  return body?.json && !NOT_TO_COPY.includes(place) ? [{ place, address, example: body.json.example }] : []
})

test('every example is answered', async () => {
  const refused: string[] = []
  for (const { place, address, example } of EXAMPLES) {
    const [method, path] = address.split(' ') as [string, string]
    const response = await fetch(stage.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(withMade(place, example as Record<string, unknown>)),
      signal: AbortSignal.timeout(REQUEST_MS),
    })
    const text = await response.text()
    const isAnswered = response.status < 400 || response.status === ABSENT[place]
    if (!isAnswered) refused.push(`${place}: ${response.status} ${text}`)
    if (response.headers.get('content-type')?.startsWith('application/json')) remember(place, JSON.parse(text))
  }
  expect(refused).toEqual([])
})

const familyOf = (place: string) => place.split('/')[1]!

function withMade(place: string, example: Record<string, unknown>): Record<string, unknown> {
  const family = familyOf(place)
  const ids = { id: made[`${family}.id`], queue_id: made[`${family}.queue_id`] }
  return Object.fromEntries(
    Object.entries(example).map(([name, value]) => [name, ids[name as keyof typeof ids] ?? value]),
  )
}

function remember(place: string, reply: { queue_id?: string; data?: { id?: string } }): void {
  const family = familyOf(place)
  if (reply.queue_id !== undefined) made[`${family}.queue_id`] = reply.queue_id
  if (place === 'POST /api_keys' && reply.data?.id !== undefined) made[`${family}.id`] = reply.data.id
}
