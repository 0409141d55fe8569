import {
  type Citation,
  chunksOf,
  citationsOf,
  costBeside,
  expectCitationsResolve,
  promptOf,
  streamedText,
  textOf,
} from '@/e2e/contract/answer'
import { expect, test } from '@/e2e/contract/shared-stage'
import { type Answer, ask } from '@/e2e/testing/ask'
import { ABLE } from '@/e2e/testing/contract-models'
import { openStage, type Stage } from '@/e2e/testing/contract-stage'
import { type LocalSite, TIDE_FACT } from '@/e2e/testing/local-site'
import { startLocalServer } from '@/lib/kernel/testing/local-server'
import { DUCKDUCKGO_PAGE } from '@/lib/services/web/testing/duckduckgo-page'

/** Pages are read, the web is searched, and answers cite what was found and nothing else. */

const QUESTION = 'When is high water at Saint Malo on Friday?'
/** One search, one page. */
const CENT = 0.01
/** The engine that compares sentences may still be loading. */
const LOADED_WITHIN_MS = 30_000

let stage: Stage
let site: LocalSite
let key: string

test.beforeAll(async ({ shared }) => {
  ;({ stage, site } = shared)
  key = await stage.newKey()
})

const searching = { enable_web_search: 'on', enable_web_citations: true }
const reading = { enable_web_scraping: true, enable_web_citations: true }
const named = () => `${QUESTION} It says so on ${site.origin}/tides, I think.`

async function look(model: string, service_parameters: object, content = QUESTION, more: object = {}): Promise<Answer> {
  const body = { model, messages: [{ role: 'user', content }], max_completion_tokens: 64, service_parameters, ...more }
  const answer = await ask(stage, key, body)
  expect({ status: answer.status, text: answer.text.slice(0, 500) }).toMatchObject({ status: 200 })
  return answer
}
const prompt = () => promptOf(stage.upstream.bodies.at(-1))

test('a page is read and cited: its address leads to what the answer says', async () => {
  const answer = await look('cites', reading, named())
  expect(prompt()).toContain(TIDE_FACT)
  expect(costBeside(answer)).toBeCloseTo(CENT, 9)
  const [cited, ...others] = expectCitationsResolve(textOf(answer), citationsOf(answer))
  expect(others).toEqual([])
  expect(cited).toBe(`${site.origin}/tides`)
  expect(await (await fetch(cited!)).text()).toContain(TIDE_FACT)
})

test('a search is cited: right marks stay, wrong ones go', async () => {
  const answer = await look('cites', searching)
  expect(costBeside(answer)).toBeCloseTo(CENT, 9)
  const citations = citationsOf(answer)
  expect(citations).toHaveLength(2)
  expect(expectCitationsResolve(textOf(answer), citations)).toEqual(citations.map(({ url }) => url))
  expect(textOf(answer)).toBe('High water is at 07:42 [REF]0[/REF], they say [REF]1[/REF] and so.')
  for (const { url } of citations) expect((await fetch(url)).status).toBe(200)
})

test('a stream has the list first, and the same marks', async () => {
  const answer = await look('cites', { ...searching, include_search_results_in_stream: true }, QUESTION, {
    stream: true,
  })
  const [first] = chunksOf(answer) as { service_parameters: { web_search_citations: Citation[] } }[]
  const citations = first!.service_parameters.web_search_citations
  expect(expectCitationsResolve(streamedText(answer), citations)).toEqual(citations.map(({ url }) => url))
})

test('an answer that follows a source without saying so gets its mark', async () => {
  await expect(async () => {
    const answer = await look('tells', searching)
    const cited = expectCitationsResolve(textOf(answer), citationsOf(answer))
    expect(cited).toContain(`${site.origin}/tides`)
  }).toPass({ timeout: LOADED_WITHIN_MS })
})

test('a page that is not there is no source, and no charge', async () => {
  const answer = await look('cites', reading, `What does ${site.origin}/nowhere say?`)
  expect(citationsOf(answer)).toEqual([])
  expect(textOf(answer)).not.toContain('REF')
  expect(costBeside(answer)).toBe(0)
})

for (const [what, parameters, content] of [
  ['a search', searching, () => QUESTION],
  ['a page', reading, named],
] as const) {
  test(`the embedded model answers with ${what} at hand, and cites nothing else`, async () => {
    // Drawn by chance, an answer of the smallest model may end before its first word.
    const answer = await look('small', parameters, content(), { temperature: 0 })
    expect(textOf(answer)).not.toBe('')
    expect(citationsOf(answer).map(({ url }) => url)).toContain(`${site.origin}/tides`)
    expectCitationsResolve(textOf(answer), citationsOf(answer))
  })
}

test('the provider that needs no key is asked as it wants to be, and its results are cited', async () => {
  const engine = await startLocalServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(DUCKDUCKGO_PAGE),
  )
  const stage = await openStage({}, { SEARCH_PROVIDER: 'duckduckgo', SEARCH_URL: engine.origin }, [ABLE])
  try {
    const body = {
      model: 'cites',
      messages: [{ role: 'user', content: 'Why are there tides?' }],
      service_parameters: searching,
    }
    const answer = await ask(stage, await stage.newKey(), body)
    expect(expectCitationsResolve(textOf(answer), citationsOf(answer))).toEqual([
      'https://ocean.example/tides',
      'https://harbour.example/table?port=7&year=2026',
    ])
    expect(promptOf(stage.upstream.bodies.at(-1))).toContain('High water at 06:12 and 18:40')
    expect(engine.requests.map(({ url }) => url)).toEqual(['/html/'])
  } finally {
    await stage.stop()
    await engine.close()
  }
})
