/**
 * Packages of the chat runtime for GPUs, pinned to the byte. `overrides` in package.json keep npm from installing them,
 * which would be hundreds of megabytes for everyone; they are downloaded where the hardware is. The registry has none
 * of this version for Windows. llama.node, which runs models on macOS, has Metal in its binary. Imported by child
 * processes too.
 */
import type { WeightsPackage } from '../weights/manifest.ts'

export type GpuKind = 'metal' | 'cuda' | 'vulkan'
export type ProcessorKind = 'cpu' | GpuKind

/** What a chat model's process runs on; packages by name, with their folders. */
export type Gpu = { kind: GpuKind; packages: Record<string, string> }

/** What models run on: the device, and why it is that one. */
export type ModelProcessor = { kind: ProcessorKind; name: string; reason: string }

export type System = { platform: NodeJS.Platform; arch: string }

/** The version of node-llama-cpp: it refuses packages of another one. */
export const RUNTIME_VERSION = '3.22.1'

const PINNED: Record<string, { integrity: `sha512-${string}`; tarballBytes: number }> = {
  'linux-x64-cuda': {
    integrity: 'sha512-8rQCjyNNLZJUFit+YpjwlC4hwkKgOMIkB2wuycKBf8NU2O3ySKbiWZQ8aw9ku2nUTXjSnUIrE6KB88itduTBuA==',
    tarballBytes: 142_898_030,
  },
  'linux-x64-cuda-ext': {
    integrity: 'sha512-4e5ajkiM2aR2WAdB/N/ACk4weEhHvOAIrzxZPsIX0xDFW5+6hhShuy1/vs88SK9NGdgAco9IyE28eYS0H1efpA==',
    tarballBytes: 176_664_119,
  },
  'linux-x64-vulkan': {
    integrity: 'sha512-bBxqU+JOcBu1nb5Qj2zcMci+JByT1E8EajHvYodyNfVIPkEhXh+/HMwR1/BT7xP08YK0hks+kM8fglER0P8JEg==',
    tarballBytes: 24_311_427,
  },
}

/** Lists what a kind of GPU needs beside the installation; undefined where the runtime has nothing for it. */
export function packagesFor(kind: GpuKind, { platform, arch }: System): WeightsPackage[] | undefined {
  if (kind === 'metal') return platform === 'darwin' && arch === 'arm64' ? [] : undefined
  const system = platform === 'win32' ? 'win' : platform
  const names =
    kind === 'cuda' ? [`${system}-${arch}-cuda`, `${system}-${arch}-cuda-ext`] : [`${system}-${arch}-vulkan`]
  const packages = names.flatMap((name) => {
    const pinned = PINNED[name]
    return pinned
      ? [{ name: `@node-llama-cpp/${name}`, version: RUNTIME_VERSION, ...pinned, files: 'all' as const }]
      : []
  })
  return packages.length === names.length ? packages : undefined
}
