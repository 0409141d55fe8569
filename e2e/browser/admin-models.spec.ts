import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { command } from '@/e2e/testing/admin-line'
import { openStage, type Stage } from '@/e2e/testing/contract-stage'
import { test as base, expect } from '@/e2e/testing/fixtures'
import { DESK, inspect } from '@/e2e/testing/ui-page'
import { startHub } from '@/lib/services/engines/embedded/testing/hub'
import { randomGguf } from '@/lib/services/engines/embedded/testing/random-gguf'
import { removeFolder } from '@/scripts/tools/temp-folder'

const TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"
const PIECES = 40
const PAUSE_MS = 100

type Hub = Awaited<ReturnType<typeof startHub>>

/** A server whose hub is on this machine, and sends a model in four seconds. */
const test = base.extend<{ hub: Hub; server: Stage }>({
  hub: async ({}, use) => {
    const file = randomGguf({ name: 'Tiny Tide', template: TEMPLATE })
    const pace = { bytes: Math.ceil(file.length / PIECES), pauseMs: PAUSE_MS }
    const hub = await startHub(
      {
        'acme/tiny-tide-GGUF': { files: { 'tiny-tide-Q4_K_M.gguf': file }, license: 'apache-2.0' },
        'acme/gated-GGUF': { files: { 'gated-Q4_K_M.gguf': file }, gated: 'manual' },
      },
      { pace },
    )
    await use(hub)
    await hub.close()
  },
  server: [
    async ({ hub }, use) => {
      const folder = await mkdtemp(path.join(tmpdir(), 'lagoon-hub-'))
      const server = await openStage({}, { EMBEDDED_MODELS: 'lean', HF_ENDPOINT: hub.origin, MODELS_CACHE_DIR: folder })
      await use(server)
      await server.stop()
      await removeFolder(folder)
    },
    { timeout: 120_000 },
  ],
  baseURL: async ({ server }, use) => use(server.origin()),
})

test(
  'the operator downloads a model from the page, pauses it, chats with it and removes it',
  DESK,
  async ({ page, hub, server }, testInfo) => {
    await page.goto((await command(server.dataDir, 'operator', 'link')).split('\n').at(-1)!)
    const field = page.getByRole('textbox', { name: 'Download a model' })
    const start = page.getByRole('button', { name: 'Download', exact: true }).first()
    await expect(page.getByText('No models installed yet.')).toBeVisible()

    await field.fill('hf:acme/gated-GGUF')
    await start.click()
    const downloads = page.getByRole('region', { name: 'Downloads' })
    await expect(downloads.getByRole('alert')).toContainText('HF_TOKEN')
    await downloads.getByRole('button', { name: 'Dismiss hf:acme/gated-GGUF' }).click()
    await expect(downloads).toBeHidden()

    await field.fill('hf:acme/tiny-tide-GGUF')
    await start.click()
    const bar = downloads.getByRole('progressbar')
    await expect.poll(async () => Number(await bar.getAttribute('aria-valuenow'))).toBeGreaterThan(0)
    await downloads.getByRole('button', { name: /^Pause / }).click()
    await expect(downloads).toContainText('Paused')
    await inspect(page, testInfo, 'admin-download')
    // What is left comes at once.
    hub.options.pace = undefined
    await downloads.getByRole('button', { name: /^Resume / }).click()
    const installed = page.getByRole('region', { name: 'Installed' })
    await expect(installed).toContainText('Tiny Tide')
    await expect(downloads).toBeHidden()
    await inspect(page, testInfo, 'admin-installed')

    const { data } = (await (await page.request.get('/api/v1/models')).json()) as { data: { id: string }[] }
    const id = data.find((model) => /tiny-tide/i.test(model.id))!.id
    const reply = await page.request.post('/api/v1/chat/completions', {
      headers: { authorization: `Bearer ${await server.newKey()}` },
      data: { model: id, max_tokens: 8, messages: [{ role: 'user', content: 'High tide?' }] },
    })
    expect(reply.status()).toBe(200)
    const { usage, cost } = await reply.json()
    expect(usage.completion_tokens).toBeGreaterThan(0)
    expect(cost.usd ?? cost).toBeGreaterThan(0)

    await installed.getByRole('button', { name: /^Remove / }).click()
    await installed.getByRole('button', { name: 'Remove model' }).click()
    await expect(page.getByText('No models installed yet.')).toBeVisible()
    const gone = await (await page.request.get('/api/v1/models')).json()
    expect(gone.data.map((model: { id: string }) => model.id)).not.toContain(id)
  },
)
