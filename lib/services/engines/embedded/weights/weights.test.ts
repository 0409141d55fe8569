import { mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WEIGHTS } from '@/lib/services/engines/embedded/weights/manifest'
import { ensureWeights, listWeights } from '@/lib/services/engines/embedded/weights/weights'

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'data-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

describe('weights that are there', () => {
  test('are found without a word, and listed', async () => {
    const folder = path.join(dataDir, 'models', 'minimind2-small')
    await mkdir(folder, { recursive: true })
    const file = path.join(folder, 'model.gguf')
    await writeFile(file, '')
    await truncate(file, WEIGHTS['minimind2-small'].files[0]!.sizeBytes)
    const onProgress = vi.fn()
    expect(await ensureWeights('minimind2-small', { dataDir, onProgress })).toEqual({ 'model.gguf': file })
    expect(onProgress).not.toHaveBeenCalled()
    const installed = (await listWeights(dataDir)).filter(({ isInstalled }) => isInstalled)
    expect(installed.map(({ name }) => name)).toEqual(['minimind2-small'])
    await rm(folder, { recursive: true })
  })
})

describe('weights that are not there', () => {
  test('and that the registry of npm does not have either: the error says what to do, and nothing is left locked', async () => {
    const server = createServer((_, response) => response.writeHead(404).end()).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    vi.stubEnv('npm_config_registry', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    try {
      await expect(ensureWeights('minimind2-small', { dataDir })).rejects.toMatchObject({
        reason: 'offline',
        message: expect.stringMatching(
          /could not be downloaded from 127\.0\.0\.1.*npm config get registry.*models pull/,
        ),
      })
    } finally {
      vi.unstubAllEnvs()
      server.close()
    }
    expect(await readdir(path.join(dataDir, 'models'))).toEqual(['.parts'])
  })
})
