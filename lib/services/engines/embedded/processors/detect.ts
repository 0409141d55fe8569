import { readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import type { GpuKind, System } from '@/lib/services/engines/embedded/processors/packages'

export type FoundGpu = { kind: GpuKind; evidence: string }

const NVIDIA_LINUX = ['/proc/driver/nvidia/version', '/dev/nvidiactl', '/usr/lib/wsl/lib/libcuda.so.1']
const VULKAN_FOLDERS_LINUX = ['/usr/lib/x86_64-linux-gnu', '/usr/lib64', '/usr/lib', '/usr/local/lib']

/** Finds GPUs by the files of their drivers, best first. Starts no program and opens no device. */
export function detectGpus({ platform, arch }: System, root = '/'): FoundGpu[] {
  if (platform === 'darwin') return arch === 'arm64' ? [{ kind: 'metal', evidence: 'Apple silicon' }] : []
  const found = platform === 'linux' ? onLinux(root) : platform === 'win32' ? onWindows(root) : []
  return Object.entries(found).flatMap(([kind, evidence]) =>
    evidence === undefined ? [] : [{ kind: kind as GpuKind, evidence }],
  )
}

type Evidence = Partial<Record<'cuda' | 'vulkan', string | undefined>>

function onLinux(root: string): Evidence {
  const renderer = namesIn(path.join(root, '/dev/dri')).find((name) => /^renderD\d+$/.test(name))
  const loaders = VULKAN_FOLDERS_LINUX.map((folder) => `${folder}/libvulkan.so.1`)
  return {
    cuda: firstOf(NVIDIA_LINUX, root),
    // A loader alone says nothing of a GPU: it comes with desktops, and with drivers that compute on the CPU.
    vulkan: renderer !== undefined && firstOf(loaders, root) !== undefined ? `/dev/dri/${renderer}` : undefined,
  }
}

function onWindows(root: string): Evidence {
  const windows = root === '/' ? (process.env.SystemRoot ?? 'C:\\Windows') : path.join(root, 'Windows')
  const system32 = path.join(windows, 'System32')
  return { cuda: firstOf(['nvcuda.dll'], system32), vulkan: firstOf(['vulkan-1.dll'], system32) }
}

function firstOf(files: string[], root: string): string | undefined {
  return files.find((file) => statSync(path.join(root, file), { throwIfNoEntry: false }) !== undefined)
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
