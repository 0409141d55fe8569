import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { create } from 'tar'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { packagesFor, RUNTIME_VERSION } from '@/lib/services/engines/embedded/processors/packages'
import { chooseProcessor, gpuEnvironment, Processors } from '@/lib/services/engines/embedded/processors/processors'
import { ensurePackages } from '@/lib/services/engines/embedded/weights/weights'

const LINUX = { platform: 'linux', arch: 'x64' } as const
const METAL = { kind: 'metal', evidence: 'Apple silicon' } as const
const CUDA = { kind: 'cuda', evidence: '/dev/nvidiactl' } as const
const VULKAN = { kind: 'vulkan', evidence: '/dev/dri/renderD128' } as const

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'processors-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
})

describe('the table of packages', () => {
  test('has the version of the runtime, and each package of Linux that npm is kept from installing', async () => {
    const { dependencies, overrides } = JSON.parse(await readFile('package.json', 'utf8'))
    expect(RUNTIME_VERSION).toBe(dependencies['node-llama-cpp'])
    const names = (['cuda', 'vulkan'] as const).flatMap((kind) => packagesFor(kind, LINUX)!.map(({ name }) => name))
    const emptied = Object.keys(overrides).filter((name) => name.startsWith('@node-llama-cpp/linux-x64-'))
    expect(names.toSorted()).toEqual(emptied.toSorted())
  })

  test('has nothing for systems that the runtime has no package for', () => {
    expect(packagesFor('cuda', { platform: 'linux', arch: 'arm64' })).toBeUndefined()
    expect(packagesFor('vulkan', { platform: 'darwin', arch: 'arm64' })).toBeUndefined()
    expect(packagesFor('metal', { platform: 'darwin', arch: 'arm64' })).toEqual([])
  })
})

describe('the choice', () => {
  test.each([
    ['auto', [CUDA, VULKAN], 'cuda', 'A GPU for CUDA was found (/dev/nvidiactl).'],
    ['auto', [], 'cpu', 'No GPU was found.'],
    ['off', [CUDA], 'cpu', 'EMBEDDED_GPU is off.'],
    ['vulkan', [], 'vulkan', 'EMBEDDED_GPU is vulkan.'],
    ['metal', [], 'cpu', 'Metal is not available on linux x64.'],
  ] as const)('with %s and %j is %s, with its reason', (setting, found, kind, reason) => {
    expect(chooseProcessor(setting, [...found], LINUX)).toMatchObject({ kind, reason })
  })

  test.each([
    ['darwin', 'arm64', METAL, 'metal', 'A GPU for Metal was found (Apple silicon).'],
    ['win32', 'x64', CUDA, 'cpu', 'No GPU was found.'],
  ] as const)('on %s %s names the runtime, too', (platform, arch, found, kind, reason) => {
    expect(chooseProcessor('auto', [found], { platform, arch })).toMatchObject({
      kind,
      reason: `${reason} Models run in llama.node on ${platform} ${arch}.`,
    })
  })

  test('is the CPU where the GPU has no package', () => {
    const arm = { platform: 'linux', arch: 'arm64' } as const
    expect(chooseProcessor('auto', [CUDA, VULKAN], arm)).toMatchObject({ kind: 'cpu', reason: 'No GPU was found.' })
  })
})

async function registryOf(listener: RequestListener): Promise<void> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  vi.stubEnv('npm_config_registry', `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    server.close()
  })
}

async function tarballOf(files: Record<string, string>): Promise<Buffer> {
  const source = path.join(folder, 'source')
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(source, 'package', name)), { recursive: true })
    await writeFile(path.join(source, 'package', name), text)
  }
  await create({ gzip: true, cwd: source, file: path.join(folder, 'package.tgz') }, ['package'])
  return await readFile(path.join(folder, 'package.tgz'))
}

describe('packages of a GPU', () => {
  test('are unpacked whole, once, and only where their hash is the pinned one', async () => {
    const tarball = await tarballOf({ 'dist/index.js': 'export {}', 'bins/a.so': 'code' })
    const requests: string[] = []
    await registryOf((request, response) => {
      requests.push(request.url!)
      response.end(tarball)
    })
    const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}` as const
    const pinned = {
      name: '@scope/gpu',
      version: '1.0.0',
      integrity,
      tarballBytes: tarball.length,
      files: 'all' as const,
    }
    const target = path.join(folder, 'target')
    for (let time = 0; time < 2; time++) {
      const folders = await ensurePackages([pinned], target, () => undefined)
      expect(await readFile(path.join(folders['@scope/gpu']!, 'bins/a.so'), 'utf8')).toBe('code')
    }
    expect(requests).toEqual(['/@scope/gpu/-/gpu-1.0.0.tgz'])
    const other = { ...pinned, name: '@scope/other', integrity: 'sha512-AAAA' as const }
    await expect(ensurePackages([pinned, other], target, () => undefined)).rejects.toMatchObject({
      message: expect.stringMatching(/@scope\/other@1\.0\.0 is not the pinned one/),
    })
    await expect(readFile(path.join(target, '@scope/other/bins/a.so'))).rejects.toThrow('ENOENT')
  })

  test('that cannot be downloaded leave the CPU, with a sentence that says why', async () => {
    await registryOf((_, response) => response.writeHead(404).end())
    const onReady = vi.fn()
    const processors = new Processors({ setting: 'auto', dataDir: folder, system: LINUX, found: [VULKAN], onReady })
    expect(processors.plan()).toMatchObject({
      kind: 'cpu',
      reason: expect.stringMatching(/when the first model starts/),
    })
    expect(processors.start(), 'the first model does not wait for it').toBeUndefined()
    expect(processors.plan().reason).toMatch(/The CPU is used until its package is downloaded/)
    await vi.waitFor(
      () => expect(processors.plan().reason).toMatch(/could not be downloaded .*status 404.*CPU is used/),
      {
        timeout: 20_000,
        interval: 50,
      },
    )
    expect(processors.start()).toBeUndefined()
    expect(onReady).not.toHaveBeenCalled()
  })

  test('that are there are used at once', async () => {
    const [{ name = '' } = {}] = packagesFor('vulkan', LINUX)!
    const place = path.join(folder, 'models', 'processors', RUNTIME_VERSION, name)
    await mkdir(place, { recursive: true })
    const processors = new Processors({ setting: 'vulkan', dataDir: folder, system: LINUX })
    expect(processors.start()).toEqual({ kind: 'vulkan', packages: { [name]: place } })
    expect(processors.plan()).toEqual({ kind: 'vulkan', name: 'Vulkan', reason: 'EMBEDDED_GPU is vulkan.' })
  })
})

test('a process with a GPU gets what drivers read, and no secret', () => {
  vi.stubEnv('GGML_VK_VISIBLE_DEVICES', '0')
  vi.stubEnv('HF_TOKEN', 'secret')
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  expect(gpuEnvironment()).toMatchObject({ GGML_VK_VISIBLE_DEVICES: '0' })
  expect(JSON.stringify(gpuEnvironment())).not.toContain('secret')
})
