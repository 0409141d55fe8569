import { afterAll, expect, test } from 'vitest'
import { EXTRA_MODELS } from '@/app/api/v1/chat/completions/testing/extra-models'
import { document, image, imageAt, square, text } from '@/app/api/v1/chat/completions/testing/media'
import { file, findings, localSite } from '@/app/api/v1/chat/completions/testing/site'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { beginStream, delta, sayHello, stop } from '@/app/api/v1/chat/completions/testing/upstream'
import { uuid } from '@/lib/contract/ids'
import { nano, type Usd, usd, usdNumber } from '@/lib/contract/money'
import { testWallet } from '@/lib/pipeline/testing'
import { findAccount } from '@/lib/services/identity/accounts'
import { balancesOf, credit, settled } from '@/lib/services/ledger/ledger'

const site = await localSite()
const stage = await chatStage({
  settings: {
    WELCOME_CREDIT_USD: '0',
    SEARCH_PROVIDER: 'searxng',
    SEARCH_URL: site.origin,
    EGRESS_ALLOW_ORIGINS: site.origin,
  },
  models: EXTRA_MODELS,
})
const { upstream, call, linesOf, openAccount } = stage

/** The most that `gold-reader` can cost for an image: 8,392 tokens in, 64 out, a tenth of a cent each. */
const GOLD_READING = usd('8.456')
/** What a hello costs on models of 1.00 and 3.00 USD a million. */
const HELLO = usd('0.000029')

type Part = Record<string, unknown>
const say = (model: string, content: string | Part[], more: Record<string, unknown> = {}) => ({
  model,
  messages: [{ role: 'user', content }],
  ...more,
})
const searching = { service_parameters: { enable_web_search: 'on', include_service_system_prompt: false } }

/** Someone with so much credit, who sends this. */
async function ask(credit: Usd, body: Record<string, unknown>, options: Parameters<typeof openAccount>[1] = {}) {
  const account = await openAccount(credit, options)
  const response = await call(body, { headers: { authorization: `Bearer ${account.secret}` } })
  return { ...account, response, answer: await response.json() }
}

async function balances(accountId: string) {
  await settled()
  return await balancesOf(accountId)
}

/** Every reader says what it sees, and counts 500 tokens in and 20 out; the others say hello. */
function describes() {
  upstream.answer = (body, response) => {
    if (!String(body.model).endsWith('reader')) return sayHello(body, response)
    const write = beginStream(response)
    write(delta('A square.'))
    write(stop)
    write({ choices: [], usage: { prompt_tokens: 500, completion_tokens: 20, total_tokens: 520 } })
    response.end('data: [DONE]\n\n')
  }
}

afterAll(async () => {
  await settled()
  const beyond = await stage.database.query('select id, amount, captured, excess from hold where excess > 0')
  expect(beyond).toEqual([])
})

test('where the hold itself fails nothing is fetched, searched or read', async () => {
  site.at['/photo'] = file('image/png', await square())
  const seen = say('helped', [text('What is it?'), imageAt(`${site.origin}/photo`)], searching)
  const found = say('surfer', 'When is high water?', searching)
  for (const body of [seen, found]) {
    const { response, answer, accountId } = await ask(usd('0.09'), body)
    expect([response.status, answer.code]).toEqual([402, 'INSUFFICIENT_BALANCE'])
    expect((await balances(accountId)).USD).toBe(usd('0.09'))
  }
  expect([site.seen, upstream.seen]).toEqual([[], []])
})

test('credit for the text and not for the search is a 402 before anyone is asked', async () => {
  // 80 tokens and one more at a tenth of a cent leave less than the cent of a search.
  const body = say('yacht', 't'.repeat(280), { ...searching, max_tokens: 1 })
  const { response, answer, accountId } = await ask(usd('0.1'), body)
  expect([response.status, answer]).toEqual([
    402,
    {
      error: expect.stringMatching(/may cost up to 0\.1\d+ USD, and 0\.10 USD is available/),
      code: 'INSUFFICIENT_BALANCE',
    },
  ])
  expect([site.seen, upstream.seen]).toEqual([[], []])
  expect((await balances(accountId)).USD).toBe(usd('0.1'))
})

test('credit for the search and not for reading what it found is a 402 too, and nothing is charged', async () => {
  site.at['/search'] = findings([{ title: 'Tides', url: 'https://tide.example/', content: 'High water. '.repeat(100) }])
  const { response, accountId } = await ask(usd('0.15'), say('yacht', 'When?', { ...searching, max_tokens: 1 }))
  expect(response.status).toBe(402)
  expect([site.seen, upstream.seen]).toEqual([['/search'], []])
  expect((await balances(accountId)).USD).toBe(usd('0.15'))
})

test('a vendor is not asked to search where its ten results could not be paid', async () => {
  const body = say('vendor', 'When?', { service_parameters: { enable_x_search: true } })
  const { response } = await ask(usd('0.1'), body)
  expect(response.status).toBe(402)
  expect(upstream.seen).toEqual([])
  expect((await ask(usd('0.101'), body)).response.status).toBe(200)
})

test('a reader that cannot be paid is not asked; a key hears it in the standard shape', async () => {
  const { response, answer, accountId } = await ask(usd('5'), say('helped-dearly', [await image()]))
  expect([response.status, answer.code]).toEqual([402, 'INSUFFICIENT_BALANCE'])
  expect(answer.error).toMatch(/may cost up to 8\.456\d+ USD, and 5\.00 USD is available/)
  expect(upstream.seen).toEqual([])
  expect((await balances(accountId)).USD).toBe(usd('5'))
})

test('a wallet hears it in the document that says how to top up: all that it has, and what it takes', async () => {
  const wallet = testWallet()
  const by = async () => ({ headers: { authorization: undefined, ...(await wallet.signIn()) } })
  expect((await call({ model: 'free' }, await by())).status).toBe(200)
  const { id: accountId } = (await findAccount(wallet.address))!
  await credit({ accountId, currency: 'USD', amount: usd('2'), kind: 'grant', idempotencyKey: uuid() })
  upstream.seen = []
  const response = await call(say('helped-dearly', [await image()]), await by())
  expect(response.status).toBe(402)
  const document = await response.json()
  expect(document).toMatchObject({
    error: 'Payment required',
    code: 'PAYMENT_REQUIRED',
    reason: 'insufficient_balance',
    currentBalanceUsd: 2,
    siwxChallenge: expect.anything(),
  })
  expect(document.minimumBalanceUsd).toBeGreaterThan(8.456)
  expect(document.minimumBalanceUsd).toBeLessThan(8.457)
  expect(response.headers.get('payment-required')).not.toBeNull()
  expect(upstream.seen).toEqual([])
  expect((await balances(accountId)).USD).toBe(usd('2'))
})

test('eight readings at once are set aside together: not one of them is on credit', async () => {
  describes()
  const images = await Promise.all(Array.from({ length: 8 }, (_, n) => image(70 + n)))
  const all = nano(8n * GOLD_READING)
  const short = await ask(all, say('helped-dearly', images))
  expect(short.response.status).toBe(402)
  expect(upstream.seen.map(({ model }) => model)).not.toContain('up-helped-dearly')
  expect((await balances(short.accountId)).USD).toBe(all)

  const enough = await ask(nano(all + usd('0.001')), say('helped-dearly', images))
  expect(enough.response.status).toBe(200)
  expect(enough.answer.cost.usd).toBe(8 * 0.52 + usdNumber(HELLO))
  expect((await balances(enough.accountId)).USD).toBe(nano(all + usd('0.001') - usd('4.16') - HELLO))
})

test('work that seemed free and needs a reader after all is paid from a hold that is placed then', async () => {
  describes()
  // Only its bytes say that it is an image.
  const body = say('helped-free', [document('application/octet-stream', await square(), 'photo')])
  const { answer, accountId } = await ask(usd('1'), body)
  expect(answer.cost).toEqual({ usd: 0.00108, diem: 0 })
  expect(await linesOf(accountId)).toEqual({
    'reader-llm-input-mtoken': [500, 0.001],
    'reader-llm-output-mtoken': [20, 0.00008],
  })
  const poor = await ask(usd('0.09'), body)
  expect([poor.response.status, poor.answer.code]).toEqual([402, 'INSUFFICIENT_BALANCE'])
  const plain = await ask(usd('0.09'), say('helped-free', [document('text/plain', 'tide', 'note.txt')]))
  expect(plain.answer.cost).toEqual({ usd: 0, diem: 0 })
})

test('a currency that does not reach for what came along gives way to one that does', async () => {
  describes()
  const body = say('helped-dearly', [document('application/octet-stream', await square(), 'photo')])
  const { response, answer, accountId } = await ask(usd('20'), body, { diem: usd('0.12') })
  expect(response.status).toBe(200)
  expect(answer.cost).toEqual({ usd: 0.52 + usdNumber(HELLO), diem: 0 })
  expect(await balances(accountId)).toMatchObject({ DIEM: usd('0.12'), USD: nano(usd('19.48') - HELLO) })
})

test('a key whose limit does not reach hears of its limit, not of the balance', async () => {
  const body = say('helped-dearly', [document('application/octet-stream', await square(), 'photo')])
  const { response, answer, accountId } = await ask(usd('20'), body, { keyLimit: usd('1') })
  expect([response.status, answer.code]).toEqual([402, 'API_KEY_USD_SPEND_LIMIT_EXCEEDED'])
  expect(upstream.seen).toEqual([])
  expect((await balances(accountId)).USD).toBe(usd('20'))
})

test('credit that reaches for some pages only is a 402 that fetches none of them', async () => {
  const urls = ['/tides', '/harbour', '/3', '/4', '/5'].map((path) => site.origin + path).join(' ')
  const body = say('yacht', `Read all of these: ${urls}`, {
    service_parameters: { enable_web_scraping: true, include_service_system_prompt: false },
    max_tokens: 1,
  })
  const { response, accountId } = await ask(usd('0.1'), body)
  expect(response.status).toBe(402)
  expect([site.seen, upstream.seen]).toEqual([[], []])
  expect((await balances(accountId)).USD).toBe(usd('0.1'))
})

test('forty searched answers at once are charged forty times', async () => {
  const account = await openAccount(usd('5'))
  const headers = { authorization: `Bearer ${account.secret}` }
  const replies = await Promise.all(
    Array.from({ length: 40 }, () => call(say('surfer', 'When?', searching), { headers })),
  )
  const served = replies.filter(({ status }) => status === 200).length
  expect(served).toBeGreaterThan(0)
  expect(replies.every(({ status }) => status === 200 || status === 429)).toBe(true)
  const cost = BigInt(served) * (HELLO + usd('0.01'))
  expect((await balances(account.accountId)).USD).toBe(nano(usd('5') - cost))
})
