import { CODER, PRESETS, PROVIDER } from '@/components/testing/admin-providers'
import { ADMIN_MODELS, INSTALLED_MODEL } from '@/components/testing/replies'
import { command } from '@/e2e/testing/admin-line'
import { test as onPhone } from '@/e2e/testing/fixtures'
import { answered, answers, ask, DESK, inspect, openNewChat, PHONE, receipts } from '@/e2e/testing/ui-page'
import type { AdminModels } from '@/lib/contract/admin-models.schema'
import { chatAnswer, startVendor, type Vendor, withKey } from '@/lib/services/models/providers/testing/vendors'
import { expect, test } from './ui-scripted'

const KEY = 'sk-scripted-0123456789'
const MODELS = {
  data: [
    {
      id: 'acme/deep-current',
      name: 'Deep Current',
      context_length: 65_536,
      architecture: { input_modalities: ['text'], output_modalities: ['text'] },
      pricing: { prompt: '0.000002', completion: '0.000008' },
      supported_parameters: ['tools'],
    },
    {
      id: 'acme/shallow',
      name: 'Shallow',
      context_length: 8_192,
      architecture: { input_modalities: ['text'], output_modalities: ['text'] },
      pricing: { prompt: '0', completion: '0' },
      supported_parameters: [],
    },
  ],
}

const PAUSED: AdminModels['downloads'][number] = {
  id: 'a',
  source: 'hf:acme/other-GGUF',
  state: 'paused',
  step: 'downloading',
  bytes: 200_000_000,
  total: 500_000_000,
}
/** An installed model and a download, as admin-models.spec.ts has them in turn. */
const HUB_MODELS: AdminModels = {
  ...ADMIN_MODELS,
  installed: [{ ...INSTALLED_MODEL, name: 'Tiny Tide' }],
  downloads: [PAUSED],
}

let vendor: Vendor
let comfy: Vendor

test.beforeAll(async () => {
  const nodes = { CheckpointLoaderSimple: { input: { required: { ckpt_name: [['tidal-xl.safetensors']] } } } }
  comfy = await startVendor({ 'GET /object_info/CheckpointLoaderSimple': nodes })
  vendor = await startVendor({
    'GET /v1/models': withKey(KEY, MODELS),
    'POST /v1/chat/completions': chatAnswer,
  })
})
test.afterAll(() => Promise.all([vendor.close(), comfy.close()]))

test(
  'the operator connects a provider, chats with its model at once, and connects an image server',
  DESK,
  async ({ page, scripted }, testInfo) => {
    const link = (await command(scripted.dataDir, 'operator', 'link')).split('\n').at(-1)!
    await page.goto(link)
    await page.getByRole('tab', { name: 'Providers' }).click()
    await expect(page.getByText('No providers connected yet.')).toBeVisible()
    expect(page.url()).not.toContain('token')

    await page.getByRole('button', { name: 'Connect provider' }).click()
    const sheet = page.getByRole('dialog', { name: 'Connect provider' })
    await sheet.getByLabel('Provider', { exact: true }).selectOption('other')
    // Without the path of the API, which is found.
    await sheet.getByLabel('Address').fill(vendor.origin)
    await sheet.getByLabel('API key').fill('sk-wrong')
    await sheet.getByRole('button', { name: 'Continue' }).click()
    await expect(sheet.getByRole('alert')).toContainText('The server refused the key.')
    await inspect(page, testInfo, 'admin-refused')
    await sheet.getByLabel('API key').fill(KEY)
    await sheet.getByRole('button', { name: 'Continue' }).click()

    const large = sheet.getByRole('listitem').filter({ hasText: 'Deep Current' })
    await expect(large.getByLabel('Input, $ per million tokens')).toHaveValue('2.4')
    await expect(large.getByLabel('Output, $ per million tokens')).toHaveValue('9.6')
    await expect(sheet.getByText('Free for everyone who can use this server.')).toHaveCount(1)
    await sheet.getByRole('switch', { name: 'Guests and test wallets may use these models' }).click()
    await inspect(page, testInfo, 'admin-models-of-provider')
    await sheet.getByRole('button', { name: 'Connect 2 models' }).click()
    await expect(sheet).toBeHidden()
    const providers = page.getByRole('region', { name: 'Connected providers' })
    await expect(providers).toContainText('2 models · key …6789')
    await providers.getByRole('button', { name: 'Models and prices' }).click()
    await expect(providers).toContainText('$2.40 in, $9.60 out per million tokens')
    await inspect(page, testInfo, 'admin-connected')

    await openNewChat(page)
    await page.getByRole('button', { name: /^Model: / }).press('Enter')
    await page.getByRole('combobox', { name: 'Search models' }).fill('Deep Current')
    await page.getByRole('option', { name: /Deep Current/ }).click()
    await expect(page.getByRole('button', { name: 'Model: Deep Current' })).toBeVisible()
    await ask(page, 'Are you there?')
    await answered(page)
    await expect(answers(page).locator('.prose')).toHaveText('Hello')
    // 7 tokens in and 2 out, as the provider counts them: 7 × 2.40 + 2 × 9.60 dollars per million.
    await receipts(page).click()
    await expect(page.getByRole('dialog', { name: 'Receipt' }).getByText('$0.000036', { exact: true })).toBeVisible()
    await page.keyboard.press('Escape')
    expect(vendor.requests.at(-1)!.headers.authorization).toBe(`Bearer ${KEY}`)

    await page.getByRole('link', { name: 'Studio', exact: true }).locator('visible=true').click()
    const panel = page.getByRole('region', { name: 'Connect an image server' })
    await expect(panel).toContainText('No image server is running on this machine.')
    await inspect(page, testInfo, 'studio-operator')
    await panel.getByRole('button', { name: 'Enter address' }).click()
    const imageSheet = page.getByRole('dialog', { name: 'Connect an image server' })
    await imageSheet.getByLabel('Address').fill(comfy.origin)
    await inspect(page, testInfo, 'studio-connect-sheet')
    await imageSheet.getByRole('button', { name: 'Continue' }).click()
    await imageSheet.getByRole('button', { name: 'Connect 1 model' }).click()

    await expect(page.getByRole('textbox', { name: 'Prompt' })).toBeVisible()
    await expect(panel).toBeHidden()
    await command(scripted.dataDir, 'providers', 'remove', 'comfyui')

    await page.goto('/admin')
    await page.getByRole('tab', { name: 'Providers' }).click()
    await page.getByRole('button', { name: /^Pause / }).click()
    await expect(page.getByRole('region', { name: 'Connected providers' })).toContainText('Paused')
    const list = await (await page.request.get('/api/v1/models')).json()
    const states = list.data.map(({ id, model_spec }: { id: string; model_spec: { offline: boolean } }) => [
      id,
      model_spec.offline,
    ])
    expect(states.filter(([id]: [string]) => id.includes('acme'))).toEqual(
      expect.arrayContaining([[expect.stringContaining('deep-current'), true]]),
    )
    await page.getByRole('button', { name: /^Remove / }).click()
    await page.getByRole('button', { name: 'Remove provider' }).click()
    await expect(page.getByText('No providers connected yet.')).toBeVisible()

    await page.getByRole('button', { name: 'Sign out' }).click()
    await expect(page.getByText('npm run admin -- operator link')).toBeVisible()
    await inspect(page, testInfo, 'admin-stranger')
    expect((await page.request.get('/api/admin/providers')).status()).toBe(401)
  },
)

onPhone('administration and image servers on a phone', PHONE, async ({ page }, testInfo) => {
  let isOperator = true
  const offered = {
    preset: 'openrouter',
    address: PROVIDER.address,
    models: [CODER],
    omitted: 2,
    acceptsTestCredit: false,
  }
  await page.route('**/api/admin/**', (route) => {
    const { pathname } = new URL(route.request().url())
    const method = route.request().method()
    if (pathname === '/api/admin/session' && method === 'DELETE') isOperator = false
    const replies: Record<string, unknown> = {
      '/api/admin/session': { isOperator },
      '/api/admin/models': HUB_MODELS,
      '/api/admin/providers': { presets: PRESETS, providers: [PROVIDER], isSandbox: true },
      '/api/admin/providers/found': { found: [] },
      '/api/admin/providers/models': offered,
    }
    return route.fulfill({ json: replies[pathname] })
  })
  await page.goto('/admin')
  await expect(page.getByRole('region', { name: 'Installed' })).toContainText('Tiny Tide')
  await expect(page.getByRole('region', { name: 'Downloads' })).toContainText('Paused')
  await inspect(page, testInfo, 'admin-models')
  await page.getByRole('tab', { name: 'Providers' }).tap()
  const providers = page.getByRole('region', { name: 'Connected providers' })
  await providers.getByRole('button', { name: 'Models and prices' }).tap()
  await expect(providers).toContainText('$0.24 in, $1.02 out per million tokens')
  await inspect(page, testInfo, 'admin-connected')

  await page.getByRole('button', { name: 'Connect provider' }).tap()
  const sheet = page.getByRole('dialog', { name: 'Connect provider' })
  await sheet.getByLabel('API key').fill(KEY)
  await sheet.getByRole('button', { name: 'Continue' }).tap()
  await expect(sheet.getByLabel('Input, $ per million tokens')).toHaveValue('0.24')
  await inspect(page, testInfo, 'admin-models-of-provider')
  await page.keyboard.press('Escape')
  await expect(sheet).toBeHidden()
  await page.getByRole('button', { name: 'Sign out' }).tap()
  await expect(page.getByText('npm run admin -- operator link')).toBeVisible()
  await inspect(page, testInfo, 'admin-stranger')

  isOperator = true
  await page.goto('/studio')
  const panel = page.getByRole('region', { name: 'Connect an image server' })
  await expect(panel).toContainText('No image server is running on this machine.')
  await inspect(page, testInfo, 'studio-operator')
  await panel.getByRole('button', { name: 'Enter address' }).tap()
  await expect(page.getByRole('dialog', { name: 'Connect an image server' }).getByLabel('Address')).toBeVisible()
  await inspect(page, testInfo, 'studio-connect-sheet')
})
