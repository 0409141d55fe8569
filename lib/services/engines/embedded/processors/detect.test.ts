import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { detectGpus } from '@/lib/services/engines/embedded/processors/detect'

const LINUX = { platform: 'linux', arch: 'x64' } as const
const WINDOWS = { platform: 'win32', arch: 'x64' } as const

async function rootWith(...files: string[]): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'root-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  for (const file of files) {
    await mkdir(path.dirname(path.join(root, file)), { recursive: true })
    await writeFile(path.join(root, file), '')
  }
  return root
}

describe('on Linux', () => {
  test.each(['proc/driver/nvidia/version', 'dev/nvidiactl', 'usr/lib/wsl/lib/libcuda.so.1'])(
    'a GPU for CUDA is known by %s',
    async (file) => {
      expect(detectGpus(LINUX, await rootWith(file))).toEqual([{ kind: 'cuda', evidence: `/${file}` }])
    },
  )

  test('a GPU for Vulkan is known by its device and a loader', async () => {
    const root = await rootWith('dev/dri/card0', 'dev/dri/renderD128', 'usr/lib/x86_64-linux-gnu/libvulkan.so.1')
    expect(detectGpus(LINUX, root)).toEqual([{ kind: 'vulkan', evidence: '/dev/dri/renderD128' }])
  })

  test('a loader without a device, or a device without a loader, is none', async () => {
    expect(detectGpus(LINUX, await rootWith('usr/lib64/libvulkan.so.1'))).toEqual([])
    expect(detectGpus(LINUX, await rootWith('dev/dri/renderD128', 'dev/dri/card0'))).toEqual([])
    expect(detectGpus(LINUX, await rootWith())).toEqual([])
  })

  test('CUDA comes before Vulkan', async () => {
    const root = await rootWith('dev/nvidiactl', 'dev/dri/renderD129', 'usr/lib/libvulkan.so.1')
    expect(detectGpus(LINUX, root).map(({ kind }) => kind)).toEqual(['cuda', 'vulkan'])
  })
})

test('on Windows GPUs are known by the libraries of their drivers', async () => {
  const root = await rootWith('Windows/System32/nvcuda.dll', 'Windows/System32/vulkan-1.dll')
  expect(detectGpus(WINDOWS, root).map(({ kind }) => kind)).toEqual(['cuda', 'vulkan'])
  expect(detectGpus(WINDOWS, await rootWith('Windows/System32/kernel32.dll'))).toEqual([])
})

test('Apple silicon has Metal, Macs with Intel have nothing', () => {
  expect(detectGpus({ platform: 'darwin', arch: 'arm64' })).toEqual([{ kind: 'metal', evidence: 'Apple silicon' }])
  expect(detectGpus({ platform: 'darwin', arch: 'x64' })).toEqual([])
})
