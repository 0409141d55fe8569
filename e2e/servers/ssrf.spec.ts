import { ask, expectError } from '@/e2e/testing/ask'
import { ABLE } from '@/e2e/testing/contract-models'
import { openStage, type Stage } from '@/e2e/testing/contract-stage'
import { expect, test } from '@/e2e/testing/contract-test'
import { type LocalSite, startLocalSite } from '@/e2e/testing/local-site'
import { mapLimited } from '@/lib/kernel/semaphore'
import { FORBIDDEN_HOSTS } from '@/lib/kernel/testing/forbidden-addresses'
import { type LocalServer, startLocalServer } from '@/lib/kernel/testing/local-server'

/** Requests at a time: a key may have 50. */
const AT_ONCE = 25

let site: LocalSite
let canary: LocalServer
let stage: Stage
let key: string

test.beforeAll(async () => {
  test.setTimeout(120_000)
  site = await startLocalSite()
  canary = await startLocalServer()
  const variables = { EGRESS_ALLOW_ORIGINS: site.origin, SEARCH_PROVIDER: 'searxng', SEARCH_URL: site.origin }
  const limits = { failedRequests: { count: 1_000 }, tiers: { XS: { requestsPerMinute: 0 } } }
  stage = await openStage(limits, variables, [ABLE])
  key = await stage.newKey('50')
})
test.afterAll(async () => {
  await stage?.stop()
  await canary?.close()
  await site?.close()
})

const inside = (host: string): string => `http://${host}:${canary.port}/secret`
const redirected = (host: string): string => `${site.origin}/to?url=${encodeURIComponent(inside(host))}`
const message = (part: object) => ({ model: 'able', messages: [{ role: 'user', content: [part] }] })

const PARTS: [what: string, body: (url: string) => object, leads: (host: string) => string][] = [
  ['a picture', (url) => message({ type: 'image_url', image_url: { url } }), inside],
  ['a video', (url) => message({ type: 'video_url', video_url: { url } }), inside],
  ['a file', (url) => message({ type: 'file', file: { file_data: url } }), inside],
  ['a picture behind a redirect', (url) => message({ type: 'image_url', image_url: { url } }), redirected],
  ['a file behind a redirect', (url) => message({ type: 'file', file: { file_data: url } }), redirected],
]

for (const [what, body, leads] of PARTS) {
  test(`${what} at any of ${FORBIDDEN_HOSTS.length} forbidden hosts: 400, all with the same words`, async () => {
    const answers = await mapLimited(FORBIDDEN_HOSTS, AT_ONCE, ({ host }) => ask(stage, key, body(leads(host))))
    const words = new Set<string>()
    for (const answer of answers) {
      expectError(answer, 400, 'INVALID_REQUEST')
      words.add((answer.json.issues as { message: string }[])[0]!.message)
    }
    // An address that is none at all may say so; nothing tells a closed door from a forbidden one.
    expect([...words].length).toBeLessThanOrEqual(2)
    expect(canary.connections).toBe(0)
  })
}

for (const [what, leads] of [
  ['named', inside],
  ['behind a redirect', redirected],
] as const) {
  test(`a page ${what} at any forbidden host is not read, and the answer goes on without it, uncharged`, async () => {
    const answers = await mapLimited(FORBIDDEN_HOSTS, AT_ONCE, ({ host }) =>
      ask(stage, key, {
        model: 'able',
        messages: [{ role: 'user', content: `Read ${leads(host)} please` }],
        service_parameters: { enable_web_scraping: true },
      }),
    )
    for (const answer of answers) {
      expect(answer.status, JSON.stringify(answer.json)).toBe(200)
      expect((answer.json.service_parameters as { web_search_citations: unknown[] }).web_search_citations).toEqual([])
      expect((answer.json.cost as { usd: number }).usd).toBeLessThan(0.01)
    }
    expect(canary.connections).toBe(0)
  })
}
