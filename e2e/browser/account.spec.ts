import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import OpenAI from 'openai'
import { GUEST_SESSION } from '@/components/testing/replies'
import { test as onPhone } from '@/e2e/testing/fixtures'
import { DESK, inspect, PHONE } from '@/e2e/testing/ui-page'
import type { UsageSeries, UsageSummary } from '@/lib/contract/billing'
import type { ApiKeyList, RateLimitLog, RateLimits } from '@/lib/contract/keys.schema'
import type { SessionReply } from '@/lib/contract/session'
import { expect, test } from './ui-scripted'

// A newcomer makes a key in the page, a program spends with it, and the page says what it came to.

test.describe.configure({ timeout: 180_000 })

const ANSWER = 'The tide comes in twice a day.'

async function signIn(page: Page): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: 'Connect a wallet' }).click()
  await page.getByRole('dialog', { name: 'Choose a wallet' }).getByRole('button', { name: 'Use test wallet' }).click()
  await page.getByRole('dialog', { name: 'Verify your wallet' }).getByRole('button', { name: 'Sign message' }).click()
  const ready = page.getByRole('dialog', { name: 'You are signed in' })
  await expect(ready).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(ready).toBeHidden()
}

/** Makes a key in the open sheet, and takes its secret. */
async function makeKey(
  page: Page,
  name: string,
  more: (page: Page) => Promise<void> = async () => {},
): Promise<string> {
  const sheet = page.getByRole('dialog', { name: 'New key' })
  await sheet.getByRole('textbox', { name: 'Name' }).fill(name)
  await more(page)
  await sheet.getByRole('button', { name: 'Create key' }).click()
  return (await page.getByTestId('new-key').textContent()) ?? ''
}

test(
  'a key is made once, limited, used and revoked; usage says what the ledger says, to the last digit',
  DESK,
  async ({ page, scripted }, testInfo) => {
    await page.goto('/usage')
    await expect(page.getByRole('heading', { name: 'See what you spent' })).toBeVisible()
    await inspect(page, testInfo, 'usage-1-signed-out')
    await signIn(page)
    await expect(page.getByText(/^No charges in this period/)).toBeVisible()

    await page.keyboard.press('g')
    await page.keyboard.press('k')
    await expect(page.getByText('No API keys yet.')).toBeVisible()

    await page.getByRole('button', { name: 'New key' }).click()
    const sheet = page.getByRole('dialog', { name: 'New key' })
    await sheet.getByRole('button', { name: 'Create key' }).click()
    await expect(sheet.getByText('Name the app that will use this key.')).toBeVisible()
    const secret = await makeKey(page, 'nightly report', async () => {
      await sheet.getByRole('textbox', { name: 'Spending limit ($)' }).fill('0.50')
      await sheet.getByRole('combobox', { name: 'Expires' }).selectOption({ label: 'in 30 days' })
      await inspect(page, testInfo, 'keys-3-new')
    })
    expect(secret).toMatch(/^SERVICE_INFERENCE_KEY_[A-Za-z0-9]{32,}$/)
    const kept = page.getByRole('dialog', { name: 'Save this key now' })
    await expect(kept.getByRole('region', { name: 'Example request' })).toContainText('/api/v1/chat/completions')
    await inspect(page, testInfo, 'keys-4-once')
    await kept.getByRole('button', { name: 'I’ve saved the key' }).click()
    await expect(page.locator('body')).not.toContainText(secret)

    const client = new OpenAI({ apiKey: secret, baseURL: `${scripted.origin}/api/v1`, maxRetries: 0 })
    const messages = [{ role: 'user' as const, content: 'When is high water?' }]
    scripted.upstream.next({ text: ANSWER, tokensPerSecond: 0 })
    const answer = await client.chat.completions.create({ model: 'atlas-large', messages })
    expect(answer.choices[0]?.message.content).toBe(ANSWER)

    await page.reload()
    const row = page.getByRole('region', { name: 'Your keys' }).getByRole('listitem')
    await expect(row).toContainText('nightly report')
    await expect(row).toContainText(/\$0\.00\d* of \$0\.50 this month/)
    await expect(row).not.toContainText('never used')
    await expect(page.getByRole('region', { name: 'Rate limits' })).toContainText('atlas-large')

    await page.getByRole('button', { name: 'Change key nightly report' }).click()
    const changing = page.getByRole('dialog', { name: 'Change key' })
    await changing.getByRole('textbox', { name: 'Name' }).fill('weekly report')
    await changing.getByRole('button', { name: 'Save' }).click()
    await expect(row).toContainText('weekly report')

    await page.getByRole('button', { name: 'Revoke key weekly report' }).click()
    await expect(page.getByRole('group', { name: 'Revoke key weekly report?' })).toContainText('rejected with 401')
    await inspect(page, testInfo, 'keys-5-revoke')
    await page.getByRole('button', { name: 'Revoke key', exact: true }).click()
    await expect(page.getByText('No API keys yet.')).toBeVisible()
    await expect(client.chat.completions.create({ model: 'atlas-large', messages })).rejects.toMatchObject({
      status: 401,
    })

    await page.getByRole('button', { name: 'New key' }).click()
    const admin = await makeKey(page, 'books', async () => {
      await page.getByRole('radio', { name: /^Admin/ }).check()
    })
    const bookkeeper = new OpenAI({ apiKey: admin, baseURL: `${scripted.origin}/api/v1`, maxRetries: 0 })
    const earlier = await ledger(scripted.origin, admin)
    for (const model of ['harbour-mini', 'atlas-large']) {
      scripted.upstream.next({ text: ANSWER, tokensPerSecond: 0 })
      await bookkeeper.chat.completions.create({ model, messages })
    }
    const { charges, nano } = await ledger(scripted.origin, admin)
    const total = exact(nano)

    await page.goto('/usage')
    const spent = page.getByRole('region', { name: 'Spending' })
    const shares = spent.getByRole('table', { name: 'Spending in this period' })
    await expect(shares.getByRole('row', { name: /^Total/ })).toContainText(total)
    await expect(spent).toContainText('3 charges')
    await expect(shares.getByRole('row', { name: /^Chat/ })).toContainText(total)
    await spent.getByRole('button', { name: 'By model' }).click()
    await expect(shares.getByRole('row')).toHaveCount(4)
    await expect(shares.getByRole('row', { name: /^Total/ })).toContainText(total)
    await spent.getByRole('button', { name: 'Daily breakdown' }).click()
    const days = spent.getByRole('region', { name: 'Daily breakdown' })
    await expect(days.getByRole('row').nth(1)).toContainText(total)
    await inspect(page, testInfo, 'usage-2-by-model')
    await spent.getByRole('button', { name: 'By key' }).click()
    await expect(shares.getByRole('row', { name: /^books/ })).toContainText(exact(nano - earlier.nano))

    await page.getByRole('button', { name: 'Last 7 days' }).click()
    await expect(shares.getByRole('row', { name: /^Total/ })).toContainText(total)
    const download = page.waitForEvent('download')
    await spent.getByRole('link', { name: 'CSV' }).click()
    const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\n').slice(1)
    expect(lines).toHaveLength(charges)

    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Last 90 days' }).click()
    await expect(page.getByText(/You’re offline/).first()).toBeVisible()
    await page.context().setOffline(false)
  },
)

/** What the account was charged, as the service says it: how often, and how much. */
async function ledger(origin: string, key: string): Promise<{ charges: number; nano: bigint }> {
  const reply = await fetch(`${origin}/api/v1/billing/usage-history`, { headers: { authorization: `Bearer ${key}` } })
  const { data } = (await reply.json()) as { data: { amount: number }[] }
  return { charges: data.length, nano: data.reduce((sum, { amount }) => sum - BigInt(Math.round(amount * 1e9)), 0n) }
}

/** Nano-dollars as the page writes them. */
function exact(nano: bigint): string {
  const digits = nano.toString().padStart(10, '0')
  return `$${digits.slice(0, -9)}.${digits.slice(-9).replace(/0{1,7}$/, '')}`
}

onPhone('keys and usage on a phone', PHONE, async ({ page }, testInfo) => {
  const replies: [pattern: RegExp, json: unknown][] = [
    [/\/api\/session$/, WALLET_SESSION],
    [/\/api_keys$/, KEYS],
    [/\/rate_limits$/, LIMITS],
    [/\/rate_limits\/log$/, REJECTIONS],
    [/\/api\/usage\?/, USAGE],
  ]
  for (const [pattern, json] of replies) await page.route(pattern, (route) => route.fulfill({ json }))
  await page.goto('/keys')
  const row = page.getByRole('region', { name: 'Your keys' }).getByRole('listitem')
  await expect(row).toContainText('$0.12 of $0.50 this month')
  await row.getByRole('button', { name: 'Revoke key nightly report' }).tap()
  await expect(page.getByRole('group', { name: 'Revoke key nightly report?' })).toContainText('rejected with 401')
  await inspect(page, testInfo, 'keys-5-revoke')

  await page.getByRole('button', { name: 'New key' }).tap()
  const sheet = page.getByRole('dialog', { name: 'New key' })
  await sheet.getByRole('button', { name: 'Create key' }).tap()
  await expect(sheet.getByText('Name the app that will use this key.')).toBeVisible()
  await inspect(page, testInfo, 'keys-3-new')
  await page.unroute(/\/api_keys$/)
  const secret = `SERVICE_INFERENCE_KEY_${'a1'.repeat(24)}`
  await page.route(/\/api_keys$/, (route) =>
    route.fulfill({ json: route.request().method() === 'POST' ? { success: true, data: { apiKey: secret } } : KEYS }),
  )
  await makeKey(page, 'batch job')
  await expect(page.getByTestId('new-key')).toHaveText(secret)
  await inspect(page, testInfo, 'keys-4-once')

  await page.goto('/usage')
  const spent = page.getByRole('region', { name: 'Spending' })
  await spent.getByRole('button', { name: 'Daily breakdown' }).tap()
  await expect(spent.getByRole('region', { name: 'Daily breakdown' }).getByRole('row')).toHaveCount(31)
  await inspect(page, testInfo, 'usage-2-by-kind')
})

const WALLET_SESSION: SessionReply = {
  ...GUEST_SESSION,
  session: { ...GUEST_SESSION.session!, kind: 'wallet', address: `0x${'12'.repeat(20)}`, family: 'evm' },
}
const AT = '2026-11-26T00:00:00Z'
const KEYS = {
  object: 'list',
  data: [
    {
      ...{ id: 'k', apiKeyType: 'INFERENCE', description: 'nightly report', last6Chars: 'abcdef' },
      ...{ createdAt: AT, expiresAt: null, lastUsedAt: AT, limitPeriod: 'MONTH', modelPrivacy: 'ALL' },
      consumptionLimits: { usd: 0.5, diem: null, vcu: null },
      usage: { trailingSevenDays: { usd: '0.12', diem: '0', vcu: '0' } },
      currentPeriodUsage: { usd: '0.12', diem: '0' },
    },
  ],
} satisfies ApiKeyList
const LIMITS = {
  data: {
    ...{ accessPermitted: true, apiTier: { id: 'paid', isCharged: true }, balances: { USD: 1, DIEM: 0 } },
    ...{ keyExpiration: null, nextEpochBegins: AT },
    rateLimits: [{ apiModelId: 'atlas-large', rateLimits: [{ type: 'RPM', amount: 500 }] }],
  },
} satisfies RateLimits
const REJECTIONS = {
  object: 'list',
  data: [{ apiKeyId: 'k', modelId: 'atlas-large', rateLimitTier: 'paid', rateLimitType: 'RPM', timestamp: AT }],
} satisfies RateLimitLog
const DAYS = Array.from({ length: 30 }, (_, at) => `2026-11-${String(at + 1).padStart(2, '0')}`)
const series = (id: string, share: number): UsageSeries => {
  const daily = DAYS.map((_, at) => (at % 3) * share)
  return { id, name: id, usd: daily.reduce((sum, usd) => sum + usd, 0), diem: 0, daily }
}
const BY_KIND = [series('chat', 0.002), series('images', 0.001)]
const USAGE: UsageSummary = {
  days: DAYS,
  totals: { usd: 0.09, diem: 0, requests: 40 },
  month: { usd: 0.09, diem: 0 },
  pace: 0.003,
  by: { kind: BY_KIND, model: BY_KIND, key: BY_KIND },
}
